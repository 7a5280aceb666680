import { rollOut } from '../fleet/rollout.js';
import { otherRevision } from '../truths/bad-revision.js';
import type { Scene, TruthName } from '../truths/truth.js';
import { OUTAGE_SHAPES, outageOf } from './outages.js';

/** Successes of a release from which one can see that it was well until then. */
const PROOF = 30;

export interface Disturbances {
  readonly drawn: readonly string[];
  /** When an innocent release began at the pool; null: none does. */
  readonly releasedMs: number | null;
}

/**
 * What else goes on in a fleet, without being the cause: releases that are innocent (also within a minute before the trouble begins,
 * and in its midst), a node that goes, a service that was gone for half a minute and came back. Names of what was drawn.
 */
export function drawDisturbances(scene: Scene, truths: readonly TruthName[]): Disturbances {
  const { fleet, random, atMs, main, queues } = scene;
  const drawn: string[] = [];
  let releasedMs: number | null = null;
  if (!truths.includes('bad_revision') && random.chance(0.55)) {
    const { name, beginMs } = innocentRelease(scene);
    drawn.push(name);
    releasedMs = beginMs;
  }
  const [, beside] = fleet.terrain.pools;
  if (beside !== undefined && random.chance(0.3)) {
    rollOut(fleet, { pool: beside, to: otherRevision(random, beside.revision), how: 'rolling', beginMs: atMs - random.between(0, 60_000), takesMs: 30_000 });
    drawn.push('release beside');
  }
  if (random.chance(0.15)) {
    fleet.agenda.at(atMs + random.between(-240_000, 60_000), () => {
      const [first] = fleet.live(main);
      if (first !== undefined) fleet.kill(first, random.between(10_000, 40_000));
    });
    drawn.push('node lost');
  }
  if (random.chance(0.12)) {
    const host = random.pick(queues.flatMap((queue) => queue.kinds.flatMap((kind) => [...kind.calls, 'other.example'])));
    const beginMs = atMs - random.between(150_000, 300_000);
    const outage = outageOf(random.pick(OUTAGE_SHAPES), host, random.between(0.3, 0.8), random);
    fleet.agenda.at(beginMs, () => { fleet.services.fail(host, outage); });
    fleet.agenda.at(beginMs + random.between(15_000, 45_000), () => { fleet.services.fail(host, null); });
    drawn.push('short outage before');
  }
  return { drawn, releasedMs };
}

function innocentRelease({ fleet, random, atMs, main, queues }: Scene): { readonly name: string; readonly beginMs: number } {
  const to = otherRevision(random, main.revision);
  const how = random.pick(['rolling', 'rolling', 'recreate', 'canary'] as const);
  const takesMs = random.between(20_000, 180_000);
  const when = random.pick(['just before', 'just before', 'before', 'after'] as const);
  const perSecond = queues.reduce((sum, queue) => sum + queue.perSecond, 0);
  // All at once and just before: only what it has done well until then speaks for it, so it is given the time.
  const provenMs = how === 'recreate' ? Math.min(300_000, (PROOF / perSecond) * 1_000) : 0;
  const beforeMs = when === 'just before' ? random.between(1_000, 60_000) : random.between(60_000, 300_000);
  const beginMs = when === 'after' ? atMs + random.between(20_000, 90_000) : atMs - Math.max(beforeMs, provenMs);
  rollOut(fleet, { pool: main, to, how, beginMs, takesMs });
  return { name: `innocent ${how} ${when}`, beginMs };
}
