/** Everything the demo decides for itself: its queue, how patient Jobwarden is with it, and who works. */

export const QUEUE = 'demo';
export const SOURCE = 'shop';

export const FLEET_SIZE = 4;
export const LEASE_MS = 3_000;
/** A third of the lease: two beats may get lost before the worker counts as dead. */
export const BEAT_MS = 1_000;
export const HARD_TIMEOUT_MS = 6_000;
/** The demo gives up after this, and says what it is still waiting for. */
export const DEADLINE_MS = 60_000;

/** Short, so that a minute is enough to see everything. Written to a file, so that it can be changed while it runs. */
export const POLICY = `# The policy of the demo. It is read again within two seconds after a change.
queues:
  ${QUEUE}:
    actions: act              # do it, do not just say what would be done
    idempotent: true          # running a job twice does no harm: without this promise, act is refused
    dedupes: true             # the consumer of commands drops repeats
    heartbeats: expected
    lease: ${String(LEASE_MS / 1_000)}s                 # a worker that is silent for so long is lost
    grace: 1s                 # then it has so long to prove that it lives
    hardTimeout: ${String(HARD_TIMEOUT_MS / 1_000)}s           # a job that runs for so long is hung, heartbeats or not
    startBy: 30s
    maxRetries: 2             # three attempts in all
    backoff: {initial: 500ms, max: 2s}
`;

/** The key under which the application keeps and caches a job's result. */
export const cacheKey = (jobId: string): string => `result:${jobId}`;

/** The four jobs that get into trouble. */
export const TROUBLED = {
  killed: { id: 'email-to-ada', kind: 'email' },
  hung: { id: 'video-of-the-party', kind: 'video' },
  poison: { id: 'thumbnail-of-a-bomb', kind: 'thumbnail' },
  stale: { id: 'report-2024', kind: 'report' },
} as const satisfies Record<string, { readonly id: string; readonly kind: string }>;
