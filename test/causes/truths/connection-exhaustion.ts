import { here, jobsWithin, ramp, type Truth } from './truth.js';

/** No connection to be had: the database has given all of them away, or the workers' own pools do not get theirs back. */
export const connectionExhaustion: Truth = {
  wishes: () => ({ perSecond: [0.5, 5], database: true }),
  inject: (scene) => {
    const { fleet, random, atMs } = scene;
    const shape = random.pick(['strangers', 'strangers', 'leaked'] as const);
    if (shape === 'strangers') {
      const left = random.between(0, 0.35);
      const rampMs = random.between(1_000, 45_000);
      const busy = (): number => fleet.workers.reduce((sum, worker) => sum + worker.runs.size, 0);
      const take = (): void => {
        const slots = fleet.terrain.connectionSlots;
        // Another program, or a burst of reports, leaves the fleet a part of what it needs right now.
        fleet.connections.strangers = Math.round((slots - Math.max(0, Math.floor(left * busy()))) * ramp(fleet.nowMs, atMs - 1, rampMs));
        fleet.agenda.after(2_000, take);
      };
      fleet.agenda.at(atMs, take);
    } else {
      // A worker's pool is empty within a minute or so.
      const share = Math.min(0.5, scene.main.connections / jobsWithin(scene, random.between(15_000, 60_000)));
      fleet.troubles.push({ leaksConnection: (run, nowMs) => here(scene, run, nowMs) && random.chance(share) });
    }
    return { shape, blamed: () => [] };
  },
};
