// What an earlier server left behind when it or its Node was killed:
//
//   left behind                                 done about it
//   a running server (its Node was killed)      shut down fast, so its last commits are on disk in order
//   a busy backend that outlived its server     told to quit: it would hold the shared memory for as long as it computes
//   postmaster.pid, number free                 nothing, PostgreSQL sees that itself
//   postmaster.pid, number of another program   removed: PostgreSQL would only look whether the number is alive
//
// The caller holds the lock of the data folder, so no server found here belongs to a living Jobwarden.
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { DataDirInUseError } from './errors.js';
import { commandOf, endProcess, exists, isAlive, processesIn } from './processes.js';

const shutDown = [
  { signal: 'SIGINT', waitMs: 20_000 },
  { signal: 'SIGQUIT', waitMs: 5_000 },
  { signal: 'SIGKILL', waitMs: 2_000 },
] as const;

export async function clearLeftovers(dataDir: string, log: (line: string) => void): Promise<void> {
  const pid = postmasterPid(dataDir);
  if (pid !== undefined && isServerOf(pid, dataDir)) {
    log(`shutting down the server of an earlier run, process ${pid}`);
    if (!(await endProcess(pid, shutDown))) throw new DataDirInUseError(dataDir, pid);
  }
  for (const backend of processesIn(dataDir).filter(isBackend)) {
    log(`ending a process that outlived its server, ${backend}`);
    await endProcess(backend, shutDown.slice(1));
  }
  if (pid !== undefined && exists(pid)) rmSync(pidFile(dataDir), { force: true });
}

/** The pid that the server of this folder wrote down, whether or not it still runs. */
export function postmasterPid(dataDir: string): number | undefined {
  try {
    const pid = Number.parseInt(readFileSync(pidFile(dataDir), 'utf8'), 10);
    return pid > 0 ? pid : undefined;
  } catch {
    return undefined;
  }
}

/** Not a shell that someone left in the folder. */
const isBackend = (pid: number) => commandOf(pid).startsWith('postgres:');

/** Numbers are reused, so the command has to fit too. Backends show another command line than their server. */
function isServerOf(pid: number, dataDir: string): boolean {
  const command = commandOf(pid);
  return isAlive(pid) && command.includes('postgres') && command.includes(`-D ${dataDir} `);
}

const pidFile = (dataDir: string) => join(dataDir, 'postmaster.pid');
