import type { Fleet } from './fleet.js';
import type { Queue } from './terrain.js';

/** Jobs come on their own: a Poisson process whose rate swings like a day does, single or in batches. */
export function letArrive(fleet: Fleet): void {
  for (const queue of fleet.terrain.queues) {
    const random = fleet.random.fork(`arrivals/${queue.name}`);
    const next = (): void => {
      const rate = rateOf(fleet, queue) / queue.batch;
      fleet.agenda.after(random.exponential(1_000 / rate), () => {
        for (let i = 0; i < queue.batch; i += 1) fleet.put(queue);
        next();
      });
    };
    next();
  }
}

/** A second. */
function rateOf(fleet: Fleet, queue: Queue): number {
  const { share, periodMs, phase } = queue.wave;
  const swing = 1 + share * Math.sin((2 * Math.PI * fleet.nowMs) / periodMs + phase);
  return fleet.troubles.reduce((rate, trouble) => rate * (trouble.arrivals?.(queue.name, fleet.nowMs) ?? 1), queue.perSecond * swing);
}

const STATE_MS = 15_000;

export function letQueuesTell(fleet: Fleet): void {
  if (!fleet.terrain.telling.queueStates) return;
  const tell = (): void => {
    for (const { name } of fleet.terrain.queues) fleet.scribe.queueState(name, fleet.depth(name));
    fleet.agenda.after(STATE_MS, tell);
  };
  tell();
}
