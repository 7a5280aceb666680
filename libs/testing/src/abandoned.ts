// Temporary folders are named <prefix><pid>-<random>: one of a run that was killed shows by its dead pid.
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';

/** A folder of this process. The first call with a prefix is a good moment to remove the abandoned ones. */
export function makeFolder(parent: string, prefix: string): string {
  return mkdtempSync(join(parent, `${prefix}${process.pid}-`));
}

/** A run that was killed could not remove its folders; its servers went with it. */
export function removeAbandonedFolders(parent: string, prefix: string): void {
  for (const name of readdirSync(parent).filter((entry) => entry.startsWith(prefix))) {
    const pid = Number.parseInt(name.slice(prefix.length), 10);
    if (pid > 0 && !isAlive(pid)) remove(join(parent, name));
  }
}

function remove(folder: string): void {
  try {
    rmSync(folder, { recursive: true, force: true });
  } catch {
    // Another run removes it at the same time; what both leave the next one takes.
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
