import { parseArgs } from 'node:util';

export const USAGE = `npm run report:gate -- [options]
  --rollouts N   whose canary is as good as stable, in any fleet (default 2000); of each other sort a quarter
  --small        a few of them, in seconds: for CI
  --seeds SET    held-out (default) or training: the gate was made with the training seeds in sight alone
  --json         the figures as JSON
  --write        writes them into docs/canary.md, and what that is made of into test/gate/measured.json; held-out seeds alone`;

export const SEED_SETS = ['held-out', 'training'] as const;
export type SeedSet = (typeof SEED_SETS)[number];

export interface Options {
  readonly rollouts: number;
  readonly seeds: SeedSet;
  readonly json: boolean;
  readonly write: boolean;
  /** Too few to bound anything by: the shares themselves are looked at. */
  readonly few: boolean;
}

const SMALL = 40;

/** What to do, or why the arguments make no sense. */
export function optionsOf(args: readonly string[]): Options | string {
  try {
    const { values } = parseArgs({
      args: [...args],
      options: { rollouts: { type: 'string' }, small: { type: 'boolean', default: false }, seeds: { type: 'string', default: 'held-out' }, json: { type: 'boolean', default: false }, write: { type: 'boolean', default: false } },
    });
    const seeds = SEED_SETS.find((set) => set === values.seeds);
    const small = values.small;
    const rollouts = Number(values.rollouts ?? (small ? SMALL : 2_000));
    if (seeds === undefined) return `--seeds is ${SEED_SETS.join(' or ')}\n\n${USAGE}`;
    if (!Number.isInteger(rollouts) || rollouts < 1) return `--rollouts is a whole number above 0\n\n${USAGE}`;
    if (values.write && (small || seeds !== 'held-out')) return `--write asks for held-out seeds, and more than a few\n\n${USAGE}`;
    return { rollouts, seeds, json: values.json, write: values.write, few: small };
  } catch (error) {
    return `${error instanceof Error ? error.message : String(error)}\n\n${USAGE}`;
  }
}
