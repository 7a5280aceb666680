import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { policyOf } from './policy.js';

export type Variables = Readonly<Record<string, string | undefined>>;

/**
 * What the demo's service runs with: its own embedded database, made anew, and a policy file of its own. A database
 * that is named in the environment is left alone. Only what matters is logged, for the demo's own lines to be seen.
 */
export function demoEnvironment(env: Variables): Variables {
  const folder = demoFolder(env);
  removeAbandoned(dirname(folder));
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const policy = join(folder, 'policy.yaml');
  writeFileSync(policy, policyOf(folder));
  return {
    ...env,
    JOBWARDEN_DATABASE_URL: undefined,
    JOBWARDEN_DATA_DIR: folder,
    JOBWARDEN_CONFIG: policy,
    JOBWARDEN_LOG_LEVEL: env['JOBWARDEN_LOG_LEVEL'] ?? 'warn',
  };
}

/** One per process: a second demo must not delete the database under the first. */
export function demoFolder(env: Variables): string {
  return resolve(env['JOBWARDEN_DATA_DIR'] ?? '.jobwarden', 'demo', String(process.pid));
}

/** What a demo that was killed could not remove; its database went with it. */
function removeAbandoned(parent: string): void {
  mkdirSync(parent, { recursive: true });
  for (const name of readdirSync(parent)) {
    const pid = Number.parseInt(name, 10);
    if (pid > 0 && !isAlive(pid)) rmSync(join(parent, name), { recursive: true, force: true });
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
