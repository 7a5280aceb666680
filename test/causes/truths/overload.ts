import type { Truth } from './truth.js';

/** Far more comes than the fleet can do. What does not fit waits; with it run times grow, and some give up. */
export const overload: Truth = {
  wishes: () => ({ perSecond: [0.5, 2.5] }),
  inject: ({ fleet, random, atMs, queues, main }) => {
    const shape = random.pick(['burst', 'rise', 'burst-and-timeouts'] as const);
    const factor = random.between(5, 12);
    const riseMs = shape === 'rise' ? random.between(30_000, 120_000) : 1;
    const all = random.chance(0.5);
    const hit = queues[0]?.name;
    const share = (nowMs: number): number => Math.min(1, (nowMs - atMs) / riseMs);
    const full = (): number => {
      const places = main.replicas * main.concurrency;
      const waiting = main.queues.reduce((sum, queue) => sum + fleet.depth(queue), 0);
      return Math.min(1, waiting / (places * 12));
    };
    fleet.troubles.push({
      arrivals: (queue, nowMs) => (nowMs < atMs || !main.queues.includes(queue) || (!all && queue !== hit) ? 1 : 1 + (factor - 1) * share(nowMs)),
      slowdown: ({ worker }) => {
        const slower = 1 + full() * (shape === 'burst-and-timeouts' ? 25 : 2);
        return worker.pool === main ? slower : 1;
      },
      loopLagMs: (worker) => (worker.pool === main ? full() * random.between(20, 200) : 0),
    });
    return { shape, blamed: () => [] };
  },
};
