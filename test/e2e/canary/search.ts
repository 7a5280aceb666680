import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Whoever keeps a text that holds one of `needles`, in a way that a reader of the disk or of the wire would see. */
export function findIn(what: ReadonlyMap<string, string | Buffer>, needles: readonly string[]): readonly string[] {
  return [...what].flatMap(([name, text]) => needles.filter((needle) => text.includes(needle)).map((needle) => `${needle} in ${name}`));
}

/** Every file below a folder, by name. */
export function filesBelow(folder: string): ReadonlyMap<string, Buffer> {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return new Map(files.map(({ parentPath, name }) => [join(parentPath, name), readFileSync(join(parentPath, name))]));
}
