import {
  chooseCanary, GATE_DEFAULTS, judgeCanary, spanOf, windowIn,
  type CanaryVerdict, type GateCounts, type GateSelection,
} from '#libs/domain';
import type { Random } from '../../causes/random.js';
import { attemptsOf, CANARY, type Rollout } from './rollout.js';
import { rowsOf, seenIn } from './rows.js';
import type { Scenario } from './scenarios.js';

const BEGIN_MS = 1_700_000_003_000;
const SELECTION: GateSelection = { by: 'track', track: CANARY.track, baseline: null };

export interface Look {
  readonly verdict: CanaryVerdict | null;
  readonly zTest: 'worse' | 'open';
}

/** A rollout that is looked at so often, as the service looks. */
export function* looksAt(rollout: Rollout, random: Random, { looks, policy }: Pick<Scenario, 'looks' | 'policy'>): Generator<Look> {
  const rows = rowsOf(attemptsOf(rollout, random, BEGIN_MS));
  for (let i = 1; i <= looks; i += 1) {
    // The last ones are noticed a little later.
    const nowMs = BEGIN_MS + Math.floor((rollout.takesMs * i) / looks) + (i === looks ? 60_000 : 0);
    const { canary, firstMs } = chooseCanary(seenIn(rows, nowMs), SELECTION, 0);
    if (canary === null || firstMs === null) {
      yield { verdict: null, zTest: 'open' };
      continue;
    }
    const span = spanOf({ firstMs, sinceMs: 0, nowMs, windowMs: policy.windowMs });
    const window = windowIn(span, SELECTION, canary.revision, rows);
    yield { verdict: judgeCanary(window, policy), zTest: zTest(window.counts) };
  }
}

/** What is often done instead: a test of two shares at each look, as if it were the only one. */
function zTest(counts: readonly GateCounts[]): 'worse' | 'open' {
  const sums = { canary: { of: 0, all: 0 }, stable: { of: 0, all: 0 } };
  for (const { side, succeeded, failed, lost } of counts) {
    sums[side].of += failed + lost;
    sums[side].all += succeeded + failed + lost;
  }
  const { canary, stable } = sums;
  if (canary.all < GATE_DEFAULTS.minSample || stable.all === 0) return 'open';
  const both = (canary.of + stable.of) / (canary.all + stable.all);
  const spread = Math.sqrt(both * (1 - both) * (1 / canary.all + 1 / stable.all));
  return spread > 0 && (canary.of / canary.all - stable.of / stable.all) / spread > 1.645 ? 'worse' : 'open';
}
