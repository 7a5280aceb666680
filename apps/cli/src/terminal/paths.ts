import { resolve } from 'node:path';

/** A path that somebody typed, from where they stood: `npm run` goes to the folder of its package first. */
export function typedPath(path: string, env: Readonly<Record<string, string | undefined>>): string {
  return resolve(env['INIT_CWD'] ?? '.', path);
}
