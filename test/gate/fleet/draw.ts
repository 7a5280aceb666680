import type { Random } from '../../causes/random.js';
import { NO_CHANGE, type Burst, type Change, type KindOfWork, type Rollout } from './rollout.js';

/** Any fleet: some kinds of work, each with its own failures; a canary of 3 to 50 %; outages that everybody meets. */
export function drawRollout(random: Random): Rollout {
  const kinds = drawKinds(random);
  const takesMs = random.between(600_000, 3_000_000);
  return {
    kinds,
    takesMs,
    bursts: drawBursts(random, kinds, takesMs),
    share: random.pick([0.03, 0.1, 0.1, 0.1, 0.25, 0.5]),
    canaryJobs: Math.round(random.logUniform(60, 1_500)),
    lost: random.pick([0, 0.002, 0.01]),
    gaveUp: random.pick([0, 0.1, 0.5, 1]),
    change: NO_CHANGE,
  };
}

function drawKinds(random: Random): readonly KindOfWork[] {
  return Array.from({ length: random.int(1, 5) }, (_, i) => ({
    name: `kind-${String(i)}`,
    weight: random.logUniform(0.1, 1),
    fails: random.chance(0.2) ? 0 : random.logUniform(0.002, 0.3),
    medianMs: random.logUniform(20, 20_000),
    sigma: random.between(0.05, 1.5),
    toCanary: random.chance(0.3) ? random.logUniform(0.2, 4) : 1,
  }));
}

function drawBursts(random: Random, kinds: readonly KindOfWork[], takesMs: number): readonly Burst[] {
  return Array.from({ length: random.int(0, 3) }, () => {
    const fromMs = random.between(0, takesMs);
    return {
      fromMs,
      toMs: fromMs + random.logUniform(3_000, 180_000),
      kind: random.chance(0.5) ? random.pick(kinds).name : null,
      fails: random.between(0.2, 1),
      slower: random.pick([1, 1, 3]),
    };
  });
}

/** Two in a hundred fail. One kind of work, or several and an outage. The canary ends 500 attempts of about 5,000. */
export function drawUsual(random: Random, change: Change): Rollout {
  const several = random.chance(0.5);
  const takesMs = random.between(600_000, 3_000_000);
  const one: KindOfWork = { name: 'kind-0', weight: 1, fails: 0.02, medianMs: random.logUniform(20, 5_000), sigma: 0.6, toCanary: 1 };
  const kinds = several ? [{ ...one, fails: 0.01 }, { ...one, name: 'kind-1', fails: 0.03 }] : [one];
  const bursts = several ? [{ fromMs: takesMs / 3, toMs: takesMs / 3 + 20_000, kind: null, fails: 0.5, slower: 1 }] : [];
  return { kinds, bursts, takesMs, share: 0.1, canaryJobs: 500, lost: 0, gaveUp: 0.1, change };
}

/** Any fleet, for hours. */
export function drawLong(random: Random, hours: readonly [number, number]): Rollout {
  const rollout = drawRollout(random);
  const takesMs = Math.round(random.between(...hours) * 3_600_000);
  return { ...rollout, takesMs, bursts: drawBursts(random, rollout.kinds, takesMs), canaryJobs: Math.round(random.logUniform(200, 3_000)) };
}
