// What the operating system says about processes. /proc where there is one, `ps` elsewhere.
import { spawnSync } from 'node:child_process';
import { readFileSync, readdirSync, readlinkSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';

/** A zombie is dead: it holds no file and no memory, and only waits for its parent to notice. */
export function isAlive(pid: number): boolean {
  return exists(pid) && procFile(pid, 'stat')?.replace(/^.*\) /s, '').startsWith('Z') !== true;
}

/** Also true for a zombie, and for a process of another user. */
export function exists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** The command line of a process, arguments separated by blanks; empty when it cannot be seen. */
export function commandOf(pid: number): string {
  if (process.platform === 'linux') return (procFile(pid, 'cmdline') ?? '').replaceAll('\0', ' ');
  if (process.platform === 'win32') return '';
  return spawnSync('ps', ['-o', 'command=', '-p', String(pid)], { encoding: 'utf8' }).stdout;
}

/** Processes that work in a folder; empty where the system does not tell. */
export function processesIn(folder: string): number[] {
  if (process.platform !== 'linux') return [];
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && workingFolder(name) === folder)
    .map(Number);
}

/** Sends the signals one after the other until the process is gone; false when none helped. */
export async function endProcess(
  pid: number,
  steps: readonly { signal: NodeJS.Signals; waitMs: number }[],
): Promise<boolean> {
  for (const { signal, waitMs } of steps) {
    try {
      process.kill(pid, signal);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ESRCH') return true;
    }
    const deadline = Date.now() + waitMs;
    while (Date.now() < deadline) {
      if (!isAlive(pid)) return true;
      await delay(20);
    }
  }
  return !isAlive(pid);
}

function workingFolder(pid: string): string | undefined {
  try {
    return readlinkSync(`/proc/${pid}/cwd`);
  } catch {
    return undefined; // ended meanwhile, or another user's
  }
}

function procFile(pid: number, name: string): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/${name}`, 'utf8');
  } catch {
    return undefined;
  }
}
