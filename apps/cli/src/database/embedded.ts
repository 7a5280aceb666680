import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';

/**
 * The embedded server of a data folder, found by what it leaves there: PostgreSQL's own `postmaster.pid` says process
 * and port; the password lies beside its folder, readable by whoever started it.
 */
export type Embedded =
  | { readonly kind: 'running'; readonly url: string }
  /** A cluster that nobody serves now. */
  | { readonly kind: 'stopped'; readonly dataDir: string }
  | { readonly kind: 'absent'; readonly dataDir: string }
  | { readonly kind: 'closed'; readonly detail: string };

/** Of a data folder that has no cluster yet. */
const CLUSTER = 'postgres';
const USER = 'postgres';
const DATABASE = 'jobwarden';

export function findEmbedded(dataDir: string): Embedded {
  const folder = resolve(dataDir);
  const cluster = clusterIn(folder);
  if (cluster === null) return { kind: 'absent', dataDir: join(folder, CLUSTER) };
  const port = portOf(cluster);
  if (port === null) return { kind: 'stopped', dataDir: cluster };
  const passwordFile = join(dirname(cluster), `${basename(cluster)}.password`);
  try {
    const password = readFileSync(passwordFile, 'utf8').trim();
    return { kind: 'running', url: `postgres://${USER}:${encodeURIComponent(password)}@127.0.0.1:${port}/${DATABASE}` };
  } catch {
    return {
      kind: 'closed',
      detail: `the password in ${passwordFile} cannot be read: run this as the user who runs the service`,
    };
  }
}

/** The folder itself, or one in it. */
function clusterIn(folder: string): string | null {
  return [folder, ...subfolders(folder)].find((candidate) => existsSync(join(candidate, 'PG_VERSION'))) ?? null;
}

function subfolders(folder: string): string[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
      .filter((entry) => entry.isDirectory() && !entry.name.endsWith('.new'))
      .map((entry) => join(folder, entry.name))
      .sort();
  } catch {
    return [];
  }
}

/** Line 1 is the process, line 4 the port. A file whose process is gone was left by a killed server. */
function portOf(cluster: string): number | null {
  let lines: string[];
  try {
    lines = readFileSync(join(cluster, 'postmaster.pid'), 'utf8').split('\n');
  } catch {
    return null;
  }
  const [pid, port] = [Number(lines[0]), Number(lines[3])];
  return pid > 0 && port > 0 && isAlive(pid) ? port : null;
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
