import { parseArgs } from 'node:util';
import { SEED_SETS, type SeedSet } from '../scenario.js';
import { TRUTHS, type TruthName } from '../truths/truth.js';

export const USAGE = `npm run report:causes -- [options]
  --scenarios N          how many of one cause (default 3600, of which 3000 are no bad revision); beside them a thirtieth with two causes
  --small                480 of them
  --seeds SET            held-out (default) or training: the classifier was made with the training seeds in sight alone
  --wrong                name the scenarios that were judged wrongly
  --truth CAUSE          those of one cause only
  --json                 the figures as JSON`;

export interface Options {
  readonly scenarios: number;
  readonly seeds: SeedSet;
  readonly wrong: boolean;
  readonly truth: TruthName | null;
  readonly json: boolean;
}

/** What to do, or why the arguments make no sense. */
export function optionsOf(args: readonly string[]): Options | string {
  try {
    const { values } = parseArgs({
      args: [...args],
      options: {
        scenarios: { type: 'string' },
        small: { type: 'boolean', default: false },
        seeds: { type: 'string', default: 'held-out' },
        wrong: { type: 'boolean', default: false },
        truth: { type: 'string' },
        json: { type: 'boolean', default: false },
      },
    });
    const seeds = SEED_SETS.find((set) => set === values.seeds);
    const truth = TRUTHS.find((name) => name === values.truth) ?? null;
    const scenarios = Number(values.scenarios ?? (values.small ? 480 : 3_600));
    if (seeds === undefined) return `--seeds is ${SEED_SETS.join(' or ')}\n\n${USAGE}`;
    if (values.truth !== undefined && truth === null) return `--truth is one of ${TRUTHS.join(', ')}\n\n${USAGE}`;
    if (!Number.isInteger(scenarios) || scenarios < 1) return `--scenarios is a whole number above 0\n\n${USAGE}`;
    return { scenarios, seeds, wrong: values.wrong, truth, json: values.json };
  } catch (error) {
    return `${error instanceof Error ? error.message : String(error)}\n\n${USAGE}`;
  }
}

export interface Draw {
  readonly truth: TruthName;
  /** Wrong as well. */
  readonly also?: TruthName;
  readonly index: number;
}

/** A sixth are bad revisions, the others are spread evenly; in an order that mixes them, for an even progress. */
export function planOf({ scenarios, truth }: Pick<Options, 'scenarios' | 'truth'>): readonly Draw[] {
  if (truth !== null) return Array.from({ length: scenarios }, (_, index) => ({ truth, index }));
  const others = TRUTHS.filter((name) => name !== 'bad_revision');
  const bad = Math.floor(scenarios / 6);
  const plan: Draw[] = [];
  for (let i = 0; i < scenarios - bad; i += 1) {
    const other = others[i % others.length];
    if (other !== undefined) plan.push({ truth: other, index: Math.floor(i / others.length) });
    if (i % 5 === 4 && Math.floor(i / 5) < bad) plan.push({ truth: 'bad_revision', index: Math.floor(i / 5) });
  }
  return [...plan, ...twoOf(scenarios)];
}

const OF_TWO = 30;

/** Two known causes at once, each pair as often as any other. */
function twoOf(scenarios: number): readonly Draw[] {
  const known = TRUTHS.filter((name) => name !== 'unknown');
  const pairs = known.flatMap((truth, i) => known.slice(i + 1).map((also) => ({ truth, also })));
  const rounds = Math.round(scenarios / OF_TWO / pairs.length);
  return Array.from({ length: rounds }, (_, index) => pairs.map((pair) => ({ ...pair, index }))).flat();
}
