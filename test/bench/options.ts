import { parseArgs } from 'node:util';
import { chosen } from '../figures/command.js';
import type { Figure } from './figure.js';

export interface BenchOptions {
  readonly figures: readonly Figure[];
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
export function readOptions(args: readonly string[], figures: readonly Figure[]): BenchOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      only: { type: 'string', multiple: true },
      quick: { type: 'boolean', default: false },
      json: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  });
  return { figures: chosen(figures, values.only), quick: values.quick, json: values.json ?? null, help: values.help };
}
