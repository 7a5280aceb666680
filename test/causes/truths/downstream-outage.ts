import { OUTAGE_SHAPES, outageOf } from '../draw/outages.js';
import type { Truth } from './truth.js';

/** A service that jobs ask is gone, wholly or for most calls. Whoever does not ask it goes on. */
export const downstreamOutage: Truth = {
  wishes: () => ({ perSecond: [0.4, 5], calls: true }),
  inject: ({ fleet, random, atMs, queues }) => {
    const hosts = queues.flatMap((queue) => queue.kinds.flatMap((kind) => kind.calls));
    const host = random.pick(hosts);
    const first = random.pick(OUTAGE_SHAPES);
    const share = random.between(0.6, 1);
    const outage = outageOf(first, host, share, random);
    fleet.agenda.at(atMs, () => { fleet.services.fail(host, outage); });
    // A gateway that times out for a while, and then refuses.
    if (random.chance(0.2)) {
      const second = outageOf(random.pick(OUTAGE_SHAPES), host, share, random);
      fleet.agenda.at(atMs + random.between(30_000, 90_000), () => { fleet.services.fail(host, second); });
      return { shape: `${first}-then-other`, blamed: () => [host] };
    }
    return { shape: first, blamed: () => [host] };
  },
};
