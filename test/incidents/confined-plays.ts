import { WELL, type Play, type Ran, type Run } from './play.js';

/** Releases that exhaust what their own workers have, and what looks like them. All go wrong from minute 13 on, of 20. */

const BEGINS = 13;
const failed = (error: NonNullable<Ran['error']>, ms = 400): Ran => ({ ms, error });
const noise = (run: Run): Ran => (run.chance() < 0.02 ? failed({ class: 'Error', message: 'not now' }) : WELL);
const heap = (share: number) => ({ heapUsed: share * 1e9, heapLimit: 1e9, rss: share * 1.3e9 });
const canary = (share: number) => ({ v1: () => 1 - share, v2: (t: number) => (t < BEGINS ? 0 : share) });
const atOnce = (overlap = 0) => ({ v1: (t: number) => (t < BEGINS + overlap ? 1 : 0), v2: (t: number) => (t < BEGINS ? 0 : 1) });
const noPool = { class: 'KnexTimeoutError', message: 'Knex: Timeout acquiring a connection. The pool is probably full' };
/** Of what fails at its first try and is done well at the next, no error is told any more. */
const once = (run: Run, share: number, error: NonNullable<Ran['error']>): Ran => (run.attempt === 1 && run.chance() < share ? failed(error) : noise(run));
const climbing = (upMs: number) => heap(Math.min(0.97, 0.3 + (0.7 * upMs) / 60_000));

export const CONFINED = {
  leakyCanary: {
    perMinute: () => 120,
    revisions: canary(0.3),
    ran: (r) => (r.revision === 'v2' && r.chance() < 0.08 ? { ms: 900, dies: true } : noise(r)),
    runtime: ({ revision, upMs }) => (revision === 'v2' ? climbing(upMs) : heap(0.3)),
  },
  /** The same deaths and the same heaps, at both. */
  leakEverywhere: {
    perMinute: () => 120,
    revisions: canary(0.3),
    ran: (r) => (r.at > BEGINS && r.chance() < 0.04 ? { ms: 900, dies: true } : noise(r)),
    runtime: ({ upMs, at }) => (at > BEGINS ? climbing(upMs) : heap(0.3)),
  },
  /** So few that they are nothing beside all that is done. */
  dyingCanary: {
    perMinute: () => 240,
    revisions: canary(0.04),
    ran: (r) => (r.revision === 'v2' && r.chance() < 0.3 ? { ms: 900, dies: true } : noise(r)),
  },
  slowCanary: {
    revisions: canary(0.3),
    ran: (r) => (r.revision === 'v2' ? failed({ class: 'Error', code: 'ERR_TIMEOUT', message: 'job exceeded its time limit (30 s)' }, 20_000) : noise(r)),
  },
  ownPool: {
    revisions: atOnce(),
    ran: (r) => (r.revision === 'v2' && r.at > BEGINS + 0.4 ? failed(noPool, 5_000) : noise(r)),
    runtime: ({ revision, at }) => (revision === 'v2' && at > BEGINS + 0.4 ? { poolInUse: 5, poolWaiting: 12 } : { poolInUse: 2, poolWaiting: 0 }),
  },
  /** All wait for the one database, whichever release they are of. */
  everybodysPool: {
    revisions: canary(0.5),
    ran: (r) => (r.at > BEGINS + 0.4 && r.chance() < 0.6 ? failed(noPool, 5_000) : noise(r)),
    runtime: ({ at }) => (at > BEGINS + 0.4 ? { poolInUse: 5, poolWaiting: 12 } : { poolInUse: 2, poolWaiting: 0 }),
  },
  /** It began as one release took over from the other, in the middle of a half minute. */
  takenOverInTrouble: {
    perMinute: () => 240,
    revisions: { v1: (t) => (t < BEGINS + 0.25 ? 1 : 0), v2: (t) => (t < BEGINS + 0.25 ? 0 : 1) },
    ran: (r) => (r.at > BEGINS + 0.25 && r.chance() < 0.8 ? failed({ class: 'DatabaseError', code: '55P03', message: 'canceling statement due to lock timeout' }) : noise(r)),
  },
  /** The node that the canary runs on goes away, with all of its workers at once. */
  nodeOfCanary: {
    perMinute: () => 240,
    revisions: canary(0.3),
    ran: (r) => (r.revision === 'v2' && r.at > BEGINS + 1.9 && r.at < BEGINS + 2 ? { ms: 900, dies: true } : noise(r)),
  },
  /** Errors that nobody tells of, since each job was done at the next try. */
  retriedExhaustion: {
    perMinute: () => 120,
    ran: (r) => (r.at > BEGINS ? once(r, 0.1, { class: 'RangeError', message: 'Array buffer allocation failed' }) : noise(r)),
    runtime: ({ at, id }) => heap(at > BEGINS && (at * 4 + Number(id.slice(-1))) % 3 < 1 ? 0.95 : 0.2),
  },
  refusedWithoutCode: {
    ran: (r) => (r.at > BEGINS && r.chance() < 0.7 ? failed({ class: 'Error', message: 'connect ECONNREFUSED 10.0.8.21:443' }) : noise(r)),
  },
} as const satisfies Readonly<Record<string, Play>>;
