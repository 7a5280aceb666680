// One server process, from its start to its end.
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { cleanEnvironment } from './account.js';
import type { Cluster } from './cluster.js';
import { EmbeddedPostgresError, ServerStartError } from './errors.js';
import { postmasterPid } from './leftovers.js';
import { endProcess } from './processes.js';

/** A crash recovery may be long; it logs its progress all the while. */
const silentStartMs = 60_000;
const stopSteps = [
  { signal: 'SIGINT', waitMs: 15_000 },
  { signal: 'SIGQUIT', waitMs: 5_000 },
  { signal: 'SIGKILL', waitMs: 2_000 },
] as const;

export interface ServerExit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

export interface RunningServer {
  readonly pid: number;
  /** Resolves when the process has ended, for whatever reason. */
  readonly exited: Promise<ServerExit>;
  /** Ends it cleanly: open transactions are rolled back, everything committed is on disk. Idempotent. */
  stop(): Promise<void>;
}

export interface ServerSettings {
  readonly port: number;
  readonly fast: boolean;
  readonly log: (line: string) => void;
}

/** @throws ServerStartError when it ends, or is silent for too long, before it accepts connections. */
export async function startServer(cluster: Cluster, settings: ServerSettings): Promise<RunningServer> {
  const child = spawnGuarded(cluster, serverArguments(cluster.dataDir, settings));
  const exited = new Promise<ServerExit>((resolve) => {
    child.once('exit', (code, signal) => resolve({ code, signal }));
    child.once('error', (error) => {
      settings.log(`cannot run: ${error.message}`);
      resolve({ code: null, signal: null });
    });
  });
  try {
    await untilReady(child.stderr as Readable, exited, settings.log);
  } catch (error) {
    const pid = postmasterPid(cluster.dataDir) ?? child.pid;
    if (child.exitCode === null && child.signalCode === null && pid !== undefined) await endProcess(pid, stopSteps);
    throw error;
  }
  const pid = postmasterPid(cluster.dataDir) ?? child.pid ?? 0;
  // From here on neither the server nor its log keeps this process alive: forgetting to stop it must not
  // hang a program. When the program ends, the guard shuts the server down.
  child.unref();
  for (const stream of child.stdio) (stream as { unref?: () => void } | null)?.unref?.();
  const stop = async () => {
    // Once it has ended, its number may be another program's.
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.ref();
    if (!(await endProcess(pid, stopSteps))) throw new EmbeddedPostgresError(`Process ${pid} cannot be ended.`);
    await exited;
  };
  let stopping: Promise<void> | undefined;
  return { pid, exited, stop: () => (stopping ??= stop()) };
}

function serverArguments(dataDir: string, { port, fast }: ServerSettings): string[] {
  const settings = {
    listen_addresses: '127.0.0.1',
    port,
    // No socket in a folder that other users could enter; the password holds for everyone.
    unix_socket_directories: '',
    max_connections: 100,
    shared_buffers: '128MB',
    max_wal_size: '1GB',
    timezone: 'UTC',
    log_timezone: 'UTC',
    // The lines that are read below.
    lc_messages: 'C',
    log_destination: 'stderr',
    logging_collector: 'off',
    ...(fast ? { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' } : {}),
  };
  return ['-D', dataDir, ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])];
}

/**
 * The server must not outlive this process, whatever kills it. Linux tells the server itself; elsewhere a shell
 * waits on a pipe that closes when we are gone. Either way it is a clean shutdown. A session of its own keeps
 * Ctrl-C away from it, so that the service can still write while it ends.
 */
function spawnGuarded({ account, binaries }: Cluster, args: readonly string[]): ChildProcess {
  const server = [binaries.postgres, ...args];
  const guarded = tellsOfDeath()
    ? ['setpriv', '--pdeathsig', 'INT', '--', ...server]
    : process.platform === 'win32'
      ? server
      : ['sh', '-c', pipeGuard, 'sh', ...server];
  const [command = '', ...rest] = [...account.prefix, ...guarded];
  return spawn(command, rest, {
    ...account.identity,
    cwd: '/',
    env: cleanEnvironment,
    detached: true,
    stdio: ['ignore', 'ignore', 'pipe', 'pipe'],
  });
}

const pipeGuard = `
"$@" 3<&- & server=$!
(read -r _ <&3; kill -INT $server) >/dev/null 2>&1 & watch=$!
wait $server; code=$?
kill $watch 2>/dev/null
exit $code`;

let deathIsTold: boolean | undefined;
function tellsOfDeath(): boolean {
  return (deathIsTold ??= spawnSync('setpriv', ['--pdeathsig', 'INT', '--', 'true'], { stdio: 'ignore' }).status === 0);
}

/** Resolves when the server says that it accepts connections; its log goes on to `log` afterwards too. */
function untilReady(stderr: Readable, exited: Promise<ServerExit>, log: (line: string) => void): Promise<void> {
  const lastLines: string[] = [];
  return new Promise((resolve, reject) => {
    const fail = (reason: string) => reject(new ServerStartError(reason, lastLines));
    const silence = setTimeout(() => fail(`no sign of life for ${silentStartMs / 1000} s`), silentStartMs);
    let ready = false;
    createInterface({ input: stderr }).on('line', (line) => {
      log(line);
      if (ready) return;
      if (lastLines.push(line) > 20) lastLines.shift();
      silence.refresh();
      if (!line.includes('database system is ready to accept connections')) return;
      ready = true;
      clearTimeout(silence);
      resolve();
    });
    // The reason stands in the last lines, so those are awaited; not for long, a stray backend may hold the pipe.
    const logEnded = new Promise((end) => stderr.once('close', end));
    void exited.then(async ({ code, signal }) => {
      await Promise.race([logEnded, delay(500)]);
      clearTimeout(silence);
      fail(signal ?? `code ${String(code)}`);
    });
  });
}
