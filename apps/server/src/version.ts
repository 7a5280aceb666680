import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

let known: string | null = null;

/** As the package says; the sources and the compiled files lie at different depths below it. */
export function version(): string {
  known ??= read();
  return known;
}

function read(): string {
  for (let folder = import.meta.dirname; dirname(folder) !== folder; folder = dirname(folder)) {
    const file = join(folder, 'package.json');
    if (existsSync(file)) return (JSON.parse(readFileSync(file, 'utf8')) as { readonly version: string }).version;
  }
  return 'unknown';
}
