import { parseArgs } from 'node:util';

export interface BenchOptions {
  /** Names of figures; empty: all. */
  readonly only: readonly string[];
  readonly quick: boolean;
  /** File for the results as JSON. */
  readonly json: string | null;
  readonly help: boolean;
}

export const USAGE = `npm run bench -- [--only NAME]… [--quick] [--json FILE]

Starts a PostgreSQL of its own and measures; nothing else should run on the machine meanwhile.
  --only NAME   only this figure; may be repeated
  --quick       a fraction of the work: the numbers then say little, the counts still hold
  --json FILE   writes the results as JSON, too
Exits with 1 when a count was missed, never because of a time.`;

/** Throws with what is wrong. */
export function readOptions(args: readonly string[], names: readonly string[]): BenchOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      only: { type: 'string', multiple: true },
      quick: { type: 'boolean', default: false },
      json: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  });
  const only = values.only ?? [];
  const unknown = only.find((name) => !names.includes(name));
  if (unknown !== undefined) throw new Error(`there is no figure "${unknown}"; there are: ${names.join(', ')}`);
  return { only, quick: values.quick, json: values.json ?? null, help: values.help };
}
