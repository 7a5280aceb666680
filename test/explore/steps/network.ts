import { asKnown, sayMessage, unpackMessage } from '../messages.js';
import { distinct, left, spent, withOne, withoutOne } from '../world.js';
import type { Step, Steps } from './step.js';

/** Facts arrive: at any time, in any order, now and then a second time; or their request lingers after it has begun. */
export const network: Steps = (world, service) => {
  const out: Step[] = [];
  const { view } = service.rowOf(world);
  for (const code of distinct(world.facts)) {
    const rest = { ...world, facts: withoutOne(world.facts, code) };
    out.push({ by: 'network', say: `${sayMessage(code)} is received`, take: () => service.receive(rest, code) });
    if (left(world, 'copies') > 0 && !unpackMessage(code).known) {
      const kept = { ...world, facts: withOne(rest.facts, asKnown(code)), budget: spent(world, 'copies') };
      out.push({ by: 'fault', say: `${sayMessage(code)} is received, and will be sent again`, take: () => service.receive(kept, code) });
    }
    // Only a sign of whoever is current could clear a deadline.
    const { type, attempt, known } = unpackMessage(code);
    if (world.flight === 0 && !view.finished && attempt === view.attempt && !known && SIGNS.has(type)) {
      out.push({ by: 'network', say: `the request of ${sayMessage(code)} begins`, take: () => ({ ...rest, flight: code, since: world.now }) });
    }
  }
  if (world.flight !== 0) {
    const { flight } = world;
    const landed = { ...world, flight: 0, since: 0 };
    out.push({ by: 'network', say: `${sayMessage(flight)} is received`, take: () => service.receive(landed, flight) });
  }
  return out;
};

const SIGNS: ReadonlySet<string> = new Set(['started', 'heartbeat', 'succeeded']);

export const clock: Steps = (world) => [{ by: 'clock', say: 'a tick passes', take: () => ({ ...world, now: world.now + 1 }) }];
