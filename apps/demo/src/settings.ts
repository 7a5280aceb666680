/** Everything the demo decides for itself: its first queue, how patient Jobwarden is with it, and who works. */

export const QUEUE = 'demo';
export const SOURCE = 'shop';

export const FLEET_SIZE = 4;
export const LEASE_MS = 3_000;
/** A third of the lease: two beats may get lost before the worker counts as dead. */
export const BEAT_MS = 1_000;
/** Far beyond lease and grace: on a machine with much else to do a worker that was killed would be found by this one first. */
export const HARD_TIMEOUT_MS = 12_000;
/** The demo gives up after this, and says what it is still waiting for. */
export const DEADLINE_MS = 60_000;

/** The key under which the application keeps and caches a job's result. */
export const cacheKey = (jobId: string): string => `result:${jobId}`;

/** The four jobs that get into trouble. */
export const TROUBLED = {
  killed: { id: 'email-to-ada', kind: 'email' },
  hung: { id: 'video-of-the-party', kind: 'video' },
  poison: { id: 'thumbnail-of-a-bomb', kind: 'thumbnail' },
  stale: { id: 'report-2024', kind: 'report' },
} as const satisfies Record<string, { readonly id: string; readonly kind: string }>;

/** Later on a worker dies with such a job again and again, and the policy waits longer with it: somebody is to see it stuck. */
export const PARCEL = 'parcel';
export const PARCEL_EVERY_MS = 30_000;
export const PARCEL_GRACE_MS = 12_000;
