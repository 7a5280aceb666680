import { parseArgs } from 'node:util';
import { chosen } from '../figures/command.js';
import type { TrustFigure } from './figure.js';

export interface TrustOptions {
  readonly figures: readonly TrustFigure[];
  readonly real: boolean;
  readonly help: boolean;
}

export const USAGE = `npm run report:trust -- [--only NAME]… [--real]

Starts the shipped processes, troubles them, and prints how far Jobwarden can be trusted, each figure with its method.
  --only NAME   only this figure; may be repeated
  --real        outages and leases of real length instead of a twentieth
Exits with 1 when a count was missed, never because of a time.`;

/** Throws with what is wrong. */
export function readOptions(args: readonly string[], figures: readonly TrustFigure[]): TrustOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      only: { type: 'string', multiple: true },
      real: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  return { figures: chosen(figures, values.only), real: values.real, help: values.help };
}
