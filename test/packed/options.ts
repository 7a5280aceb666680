import { parseArgs } from 'node:util';

export interface PackedOptions {
  /** Folders below packages/; all where empty. */
  readonly only: readonly string[];
  readonly help: boolean;
}

export const USAGE = `npm run check:packages -- [--only NAME]…

Packs the service and all packages, installs the tarballs into an empty folder, serves from there, and runs the first
example of each package's README as a newcomer would paste it.
  --only NAME   only the example of packages/NAME; may be repeated
Exits with 1 when one did not show what its README says.`;

/** Throws with what is wrong. */
export function readOptions(args: readonly string[], names: readonly string[]): PackedOptions {
  const { values } = parseArgs({
    args: [...args],
    options: { only: { type: 'string', multiple: true, default: [] }, help: { type: 'boolean', default: false } },
  });
  const unknown = values.only.find((name) => !names.includes(name));
  if (unknown !== undefined) throw new Error(`there is no package "${unknown}"; there are: ${names.join(', ')}`);
  return { only: values.only, help: values.help };
}
