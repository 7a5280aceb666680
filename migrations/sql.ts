import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Beside the source in a checkout; copied beside the compiled file by the build. */
const FOLDER = join(dirname(fileURLToPath(import.meta.url)), 'sql');

/** The statement file of a migration. */
export function sqlOf(name: string): string {
  return readFileSync(join(FOLDER, name), 'utf8');
}

/** What all migrations do, oldest first. */
export function allUpSql(): readonly string[] {
  return readdirSync(FOLDER)
    .filter((name) => name.endsWith('.up.sql'))
    .sort()
    .map(sqlOf);
}
