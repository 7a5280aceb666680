import { WELL, type Play, type Ran, type Run } from './play.js';

/** One play per cause, and those that look like another. All go wrong from minute 13 on, of 20. */

const BEGINS = 13;
const bug = { class: 'TypeError', message: "Cannot read properties of undefined (reading 'total')" };
const failed = (error: NonNullable<Ran['error']>, ms = 400): Ran => ({ ms, error });
/** Some always fails. */
const noise = (run: Run): Ran | null => (run.chance() < 0.02 ? failed({ class: 'Error', message: 'not now' }) : null);
/** A release that rolls out over two minutes from `at` on. */
const rollout = (at = BEGINS) => ({ v1: (t: number) => Math.min(1, Math.max(0, 1 - (t - at) / 2)), v2: (t: number) => Math.min(1, Math.max(0, (t - at) / 2)) });
const heap = (share: number) => ({ heapUsed: share * 1e9, heapLimit: 1e9, rss: share * 1.3e9 });

export const PLAYS = {
  badRevision: { revisions: rollout(), ran: (r) => (r.revision === 'v2' && r.chance() < 0.7 ? failed(bug) : (noise(r) ?? WELL)) },
  badRevisionNoOverlap: {
    revisions: { v1: (t) => (t < BEGINS ? 1 : 0), v2: (t) => (t < BEGINS ? 0 : 1) },
    ran: (r) => (r.revision === 'v2' && r.chance() < 0.8 ? failed(bug) : (noise(r) ?? WELL)),
  },
  badCanary: {
    perMinute: () => 120,
    revisions: { v1: () => 0.9, v2: (t) => (t < BEGINS ? 0 : 0.1) },
    tracks: { v1: 'stable', v2: 'canary' },
    ran: (r) => (r.revision === 'v2' ? failed(bug) : (noise(r) ?? WELL)),
  },
  badForOneKind: { revisions: rollout(), ran: (r) => (r.revision === 'v2' && r.kind === 'invoice' ? failed(bug) : (noise(r) ?? WELL)) },
  badAndSilent: { revisions: rollout(), ran: (r) => (r.revision === 'v2' && r.chance() < 0.35 ? { ms: 900, dies: true } : (noise(r) ?? WELL)) },
  /** Its own configuration names a host that is not there. */
  badHost: {
    revisions: rollout(),
    ran: (r) => (r.revision === 'v2' ? failed({ class: 'Error', code: 'ECONNREFUSED', message: 'connect ECONNREFUSED 10.1.2.3:8080' }) : (noise(r) ?? WELL)),
  },
  poisonJob: {
    ran: (r) => (r.n === 800 ? { ms: 900, dies: true } : (noise(r) ?? { ms: 2_500 })),
  },
  /** Two jobs that fail everywhere come within a minute of a release that is fine. */
  poisonAfterDeploy: {
    perMinute: () => 20,
    revisions: rollout(),
    ran: (r) => ([274, 275].includes(r.n) ? { ms: 900, dies: true } : (noise(r) ?? { ms: 4_000 })),
  },
  lockContention: {
    revisions: { v1: () => 0.6, v2: () => 0.4 },
    ran: (r) =>
      r.at > BEGINS && r.chance() < 0.6
        ? failed(r.chance() < 0.5 ? { class: 'DatabaseError', code: '40P01', message: 'deadlock detected' } : { class: 'DatabaseError', code: '55P03', message: 'canceling statement due to lock timeout' }, 5_000)
        : (noise(r) ?? WELL),
    runtime: ({ id, at }) => (at > BEGINS ? { lockWaits: [{ resource: 'accounts:7', holder: id.endsWith('w0') ? 'v1-w1' : 'v1-w0', waitedMs: 4_000 }] } : {}),
  },
  connectionExhaustion: {
    revisions: { v1: () => 0.6, v2: () => 0.4 },
    ran: (r) =>
      r.at > BEGINS && r.chance() < 0.6
        ? failed(r.chance() < 0.5 ? { class: 'DatabaseError', code: '53300', message: 'remaining connection slots are reserved' } : { class: 'Error', message: 'timeout exceeded when trying to connect' }, 2_000)
        : (noise(r) ?? WELL),
    runtime: ({ at }) => (at > BEGINS ? { poolInUse: 10, poolWaiting: 25 } : { poolInUse: 4, poolWaiting: 0 }),
  },
  downstreamOutage: {
    queues: ['mail', 'billing'],
    revisions: { v1: () => 0.6, v2: () => 0.4 },
    ran: (r) => (r.at > BEGINS && r.chance() < 0.7 ? failed({ class: 'AxiosError', code: 'ECONNREFUSED', message: 'connect ECONNREFUSED https://api.example.com' }) : (noise(r) ?? WELL)),
  },
  /** The outage comes first, and a release rolls out in the middle of it. */
  deployInOutage: {
    revisions: rollout(15),
    ran: (r) => (r.at > BEGINS && r.chance() < 0.7 ? failed({ class: 'HttpError', responseStatus: 503, message: 'upstream said 503' }) : (noise(r) ?? WELL)),
  },
  leak: {
    revisions: { v1: () => 0.5, v2: () => 0.5 },
    ran: (r) => (r.at > BEGINS && r.chance() < 0.06 ? { ms: 900, dies: true } : (noise(r) ?? { ms: 6_000 })),
    runtime: ({ upMs, at }) => heap(at > BEGINS - 1 ? Math.min(0.97, 0.9 + upMs / 1e7) : 0.3 + (0.5 * at) / BEGINS),
  },
  overload: {
    perMinute: (at) => (at > BEGINS ? 240 : 60),
    ran: (r) => (r.at > BEGINS && r.chance() < 0.6 ? failed({ class: 'TimeoutError', message: 'timed out after 30000 ms' }, 9_000) : (noise(r) ?? WELL)),
    runtime: ({ at }) => ({ loopLagMs: at > BEGINS ? 900 : 8 }),
  },
  race: {
    ran: (r) => (r.at > BEGINS && r.chance() < 0.5 ? failed({ class: 'StaleTokenError', message: 'the token is stale: a newer attempt has begun' }) : (noise(r) ?? WELL)),
  },
  /** Errors of all sorts, everywhere, that point at nothing. */
  nobodyKnows: {
    revisions: { v1: () => 0.5, v2: () => 0.5 },
    ran: (r) => (r.at > BEGINS && r.chance() < 0.5 ? failed({ class: 'Error', message: 'unexpected' }) : (noise(r) ?? WELL)),
  },
  quiet: { perMinute: () => 1, revisions: rollout(), ran: (r) => (r.revision === 'v2' && r.at < 16 ? failed(bug) : WELL) },
  nothing: { revisions: rollout(), ran: (r) => noise(r) ?? WELL },
} as const satisfies Readonly<Record<string, Play>>;
