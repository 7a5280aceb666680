import { parseArgs } from 'node:util';

export interface TrustOptions {
  /** Names of figures; empty: all. */
  readonly only: readonly string[];
  readonly real: boolean;
  readonly help: boolean;
}

export const USAGE = `npm run report:trust -- [--only NAME]… [--real]

Starts the shipped processes, troubles them, and prints how far Jobwarden can be trusted, each figure with its method.
  --only NAME   only this figure; may be repeated
  --real        outages and leases of real length instead of a twentieth
Exits with 1 when a count was missed, never because of a time.`;

/** Throws with what is wrong. */
export function readOptions(args: readonly string[], names: readonly string[]): TrustOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      only: { type: 'string', multiple: true },
      real: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  const only = values.only ?? [];
  const unknown = only.find((name) => !names.includes(name));
  if (unknown !== undefined) throw new Error(`there is no figure "${unknown}"; there are: ${names.join(', ')}`);
  return { only, real: values.real, help: values.help };
}
