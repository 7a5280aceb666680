import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { POLICY } from './settings.js';

type Variables = Readonly<Record<string, string | undefined>>;

/**
 * What the demo's service runs with: its own embedded database, made anew, and a policy file of its own. A database
 * that is named in the environment is left alone. Only what matters is logged, for the demo's own lines to be seen.
 */
export function demoEnvironment(env: Variables): Variables {
  const parent = join(env['JOBWARDEN_DATA_DIR'] ?? '.jobwarden', 'demo');
  // One folder per process: a second demo must not delete the database under the first.
  const folder = join(parent, String(process.pid));
  removeAbandoned(parent);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const policy = join(folder, 'policy.yaml');
  writeFileSync(policy, POLICY);
  return {
    ...env,
    JOBWARDEN_DATABASE_URL: undefined,
    JOBWARDEN_DATA_DIR: folder,
    JOBWARDEN_CONFIG: policy,
    JOBWARDEN_LOG_LEVEL: env['JOBWARDEN_LOG_LEVEL'] ?? 'warn',
  };
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
