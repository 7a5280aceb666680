import { here, jobsWithin, type Truth } from './truth.js';

/** Memory runs out at all releases alike: a leak that was always there, or jobs that have grown. */
export const memory: Truth = {
  wishes: () => ({ perSecond: [0.8, 5] }),
  inject: (scene) => {
    const { fleet, random, main, queues } = scene;
    const room = main.heapLimitMb - main.heapMb;
    const shape = random.pick(['leak', 'leak', 'large-jobs'] as const);
    if (shape === 'leak') {
      const jobsToDeath = jobsWithin(scene, random.between(25_000, 90_000));
      fleet.troubles.push({ leak: (run, nowMs) => (here(scene, run, nowMs) ? room / jobsToDeath : 0) });
    } else {
      const kind = random.pick(queues).kinds.toSorted((a, b) => b.share - a.share)[0]?.name;
      const share = random.between(0.3, 0.9);
      const part = random.between(0.8, 1.4);
      fleet.troubles.push({
        memory: (run, nowMs) => (here(scene, run, nowMs) && run.job.kind === kind && random.chance(share) ? room * part * random.between(0.7, 1.3) : 0),
        // What is that large also takes its time.
        slowdown: (run) => (run.memoryMb > room * 0.3 ? 6 : 1),
      });
    }
    return { shape, blamed: () => [] };
  },
};
