import type { JobError } from '../log/entry.js';
import { here, type Truth } from './truth.js';

/** Two workers at one job: the lease ends while the first one is still at it, and it comes back after the second has begun. */
export const race: Truth = {
  wishes: () => ({ perSecond: [0.6, 4], claims: true, places: 40 }),
  inject: (scene) => {
    const { fleet, random, queues } = scene;
    const shape = random.pick(['outlives-lease', 'outlives-lease-and-conflicts'] as const);
    const share = random.between(0.25, 0.6);
    const conflicts = shape === 'outlives-lease' ? 0.15 : 0.7;
    const grace = queues[0]?.graceMs ?? 10_000;
    const conflict = random.pick<() => JobError>([
      () => ({ class: 'StaleObjectError', message: `Attempted to update a stale object: Order ${String(random.int(1, 1e6))}` }),
      () => ({ class: 'OptimisticLockVersionMismatchError', message: `version ${String(random.int(2, 9))} of order ${String(random.int(1, 1e6))} expected, ${String(random.int(10, 19))} found` }),
      () => ({ class: 'FencingError', message: `token ${String(4_294_967_296 + random.int(1, 3))} is older than ${String(4_294_967_296 + random.int(4, 9))}`, code: 'stale_token' }),
    ]);
    fleet.troubles.push({
      fate: (run, nowMs) => {
        if (!here(scene, run, nowMs)) return null;
        // The second one finds what the first has written meanwhile.
        if (run.attempt > 1 && run.job.lostInARow > 0) return random.chance(conflicts) ? { ends: 'failed', at: 1, error: conflict() } : null;
        return random.chance(share) ? { ends: 'outlives-lease', byMs: grace + random.between(1_000, 25_000) } : null;
      },
    });
    return { shape, blamed: () => [] };
  },
};
