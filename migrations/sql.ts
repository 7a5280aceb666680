import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The statement file of a migration. Beside the source in a checkout; copied beside the compiled file by the build. */
export function sqlOf(name: string): string {
  return readFileSync(join(dirname(fileURLToPath(import.meta.url)), 'sql', name), 'utf8');
}
