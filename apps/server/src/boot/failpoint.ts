import { closeSync, fsyncSync, openSync, writeSync } from 'node:fs';
import { FAILPOINT_WINDOWS, noFailpoint, SAGA_FAILPOINTS, type Failpoint } from '#libs/application';

const WINDOWS: readonly string[] = [...FAILPOINT_WINDOWS, ...SAGA_FAILPOINTS];

/**
 * For tests of what a kill leaves behind: `JOBWARDEN_TEST_FAILPOINT=window@pass@file` kills this process with SIGKILL
 * the given time it passes the window, after the window's name has reached the disk, so that the parent can tell a kill
 * in the window from any other death. Never in production.
 */
export function failpointOf(env: Readonly<Record<string, string | undefined>>): Failpoint {
  const setting = env['JOBWARDEN_TEST_FAILPOINT'];
  if (setting === undefined || setting === '' || env['NODE_ENV'] === 'production') return noFailpoint;
  const [wanted, pass, file] = setting.split('@');
  if (!WINDOWS.some((w) => w === wanted) || file === undefined) {
    throw new Error(`JOBWARDEN_TEST_FAILPOINT: give window@pass@file, with a window of ${WINDOWS.join(', ')}`);
  }
  let left = Number(pass);
  return (window) => {
    if (window !== wanted || (left -= 1) > 0) return undefined;
    announce(file, window);
    process.kill(process.pid, 'SIGKILL');
    // The signal is on its way: nothing of what follows may happen.
    return new Promise<never>(() => undefined);
  };
}

function announce(file: string, window: string): void {
  const handle = openSync(file, 'w');
  writeSync(handle, window);
  fsyncSync(handle);
  closeSync(handle);
}
