import { parseArgs } from 'node:util';
import { chosen } from '../figures/command.js';
import type { TrustFigure } from './figure.js';

export interface TrustOptions {
  readonly figures: readonly TrustFigure[];
  readonly real: boolean;
  readonly atOnce: number;
  readonly help: boolean;
}

export const USAGE = `npm run report:trust -- [--only NAME]… [--real] [--at-once N]

Starts the shipped processes, troubles them, and prints how far Jobwarden can be trusted, each figure with its method.
  --only NAME   only this figure; may be repeated
  --real        outages and leases of real length instead of a twentieth
  --at-once N   so many figures at the same time (1): quicker, and each count must be as wanted all the same; for times, take 1
Exits with 1 when a count was missed, never because of a time.`;

/** Throws with what is wrong. */
export function readOptions(args: readonly string[], figures: readonly TrustFigure[]): TrustOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      only: { type: 'string', multiple: true },
      real: { type: 'boolean', default: false },
      'at-once': { type: 'string', default: '1' },
      help: { type: 'boolean', default: false },
    },
  });
  const atOnce = Number(values['at-once']);
  if (!Number.isSafeInteger(atOnce) || atOnce < 1) throw new Error(`--at-once takes a whole number from 1 on, not "${values['at-once']}"`);
  return { figures: chosen(figures, values.only), real: values.real, atOnce, help: values.help };
}
