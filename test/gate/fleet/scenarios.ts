import { GATE_DEFAULTS, type GatePolicy } from '#libs/domain';
import type { Random } from '../../causes/random.js';
import { drawLong, drawRollout, drawUsual } from './draw.js';
import { NO_CHANGE, type Change, type Rollout } from './rollout.js';

export const LOOKS = 20;
/** Where a rollout takes hours: every 4 to 15 minutes, to the end. */
const LOOKS_FOR_HOURS = 48;
const HOUR_MS = 3_600_000;

export interface Scenario {
  /** What its canaries are. */
  readonly are: string;
  readonly draw: (random: Random) => Rollout;
  readonly looks: number;
  readonly policy: GatePolicy;
}

const failsMore = (by: number): Change => ({ ...NO_CHANGE, fails: (_kind, share) => Math.min(1, share + by) });

/** One in ten fails, with either. What is changed of the canary leaves that as it is, so that nothing else tells. */
function oftenFailing(random: Random, change: Partial<Change>): Rollout {
  const rollout = drawUsual(random, { ...NO_CHANGE, ...change });
  return { ...rollout, kinds: rollout.kinds.map((kind) => ({ ...kind, fails: 0.1 })) };
}

const LOST_MORE = 0.08;

/** For hours as good as stable, then it fails in ten where stable does in two of a hundred, and ends 500 attempts more. */
function drawTurning(random: Random): Rollout {
  const afterMs = Math.round(random.between(1.5, 5) * HOUR_MS);
  const takesMs = afterMs + HOUR_MS;
  const rollout = drawUsual(random, { ...failsMore(0.08), afterMs });
  return { ...rollout, takesMs, canaryJobs: Math.round((500 * takesMs) / HOUR_MS) };
}

/** What a rollout may be like, how often it is looked at, and by which policy. */
const MADE_UP = {
  good: { are: 'as good as stable, in any fleet', draw: drawRollout },
  margin: { are: 'worse by just the margin, up to 2,000 attempts', draw: (random) => ({ ...drawUsual(random, failsMore(GATE_DEFAULTS.margin)), canaryJobs: 2_000 }) },
  bad: { are: 'failing in 10 % where stable does in 2 %, up to 500 attempts', draw: (random) => drawUsual(random, failsMore(0.08)) },
  slow: { are: 'taking twice as long, up to 500 attempts', draw: (random) => drawUsual(random, { ...NO_CHANGE, slower: 2 }) },
  loses: {
    are: 'losing 8 % of their leases where stable loses none, up to 500 attempts',
    draw: (random) => oftenFailing(random, { lost: LOST_MORE, fails: (_kind, share) => Math.max(0, (share - LOST_MORE) / (1 - LOST_MORE)) }),
  },
  'gives-up': { are: 'leaving 9 % dead letters where stable leaves 1 %, up to 500 attempts', draw: (random) => oftenFailing(random, { gaveUp: 0.9 }) },
  well: { are: 'as good as stable, at 2 %, up to 2,000 attempts', draw: (random) => ({ ...drawUsual(random, NO_CHANGE), canaryJobs: 2_000 }) },
  long: { are: 'as good as stable, in any fleet, for 3 to 12 hours', draw: (random) => drawLong(random, [3, 12]), looks: LOOKS_FOR_HOURS },
  wide: {
    are: 'as good as stable, in any fleet, for 7 to 12 hours, with a window of 6 hours',
    draw: (random) => drawLong(random, [7, 12]),
    looks: LOOKS_FOR_HOURS,
    policy: { ...GATE_DEFAULTS, windowMs: 6 * HOUR_MS },
  },
  drags: {
    are: 'worse by just the margin, for 3 to 12 hours',
    draw: (random) => ({ ...drawUsual(random, failsMore(GATE_DEFAULTS.margin)), takesMs: Math.round(random.between(3, 12) * HOUR_MS), canaryJobs: 4_000 }),
    looks: LOOKS_FOR_HOURS,
  },
  turns: { are: 'as good as stable for hours, then failing in 10 % where stable does in 2 %, for an hour and 500 attempts', draw: drawTurning, looks: LOOKS_FOR_HOURS },
} satisfies Readonly<Record<string, Pick<Scenario, 'are' | 'draw'> & Partial<Scenario>>>;

export type ScenarioName = keyof typeof MADE_UP;
export const SCENARIO_NAMES = Object.keys(MADE_UP) as readonly ScenarioName[];

export function scenarioOf(name: ScenarioName): Scenario {
  return { looks: LOOKS, policy: GATE_DEFAULTS, ...MADE_UP[name] };
}
