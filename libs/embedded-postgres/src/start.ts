import { mkdirSync, realpathSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { createServer, type AddressInfo } from 'node:net';
import { basename, dirname, join, resolve } from 'node:path';
import { findBinaries } from './binaries.js';
import { database, openCluster, superuser, type Cluster } from './cluster.js';
import { lockDataDir, type DataDirLock } from './data-dir-lock.js';
import { ServerStartError } from './errors.js';
import { clearLeftovers } from './leftovers.js';
import { startServer, type RunningServer, type ServerExit } from './server.js';

export interface EmbeddedPostgresOptions {
  /** Where the data lives; made when missing, its parent too. The password is kept beside it, readable by us alone. */
  readonly dataDir: string;
  /** On 127.0.0.1. Default: a free one. */
  readonly port?: number;
  /** Faster and not safe against a crash of the machine: for tests. Default false. */
  readonly fast?: boolean;
  /** Gets each line of the server's log. Default: dropped. */
  readonly log?: (line: string) => void;
}

export interface EmbeddedPostgres {
  /** The superuser's address of the application's database. */
  readonly url: string;
  /** The superuser's address of the server's own database, for creating and dropping others. */
  readonly adminUrl: string;
  readonly port: number;
  readonly pid: number;
  /**
   * Shuts the server down, rolling open transactions back, and gives the data folder free. Idempotent, also
   * when the server is gone already. Nothing else stops it on a clean exit but the end of this process.
   */
  stop(): Promise<void>;
  /** Called once if the server ends without `stop()`; at once if it already has. */
  onExit(callback: (exit: ServerExit) => void): void;
}

/** How long a backend that outlived its server may block the next one, where it cannot be ended. */
const memoryHeldMs = 30_000;
const portTries = 5;

/**
 * Starts a real PostgreSQL on a data folder, after clearing what a killed one left there.
 *
 * The server ends when the thread that called this ends: call it from the main thread.
 *
 * @throws DataDirInUseError when a living process serves the folder.
 * @throws ServerStartError with the end of the server's log.
 */
export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const opened = await openDataDir(options);
  try {
    const running = await opened.launch(options.port);
    void running.exited.then(() => opened.lock.release());
    return embeddedPostgres(opened.cluster, running);
  } catch (error) {
    opened.lock.release();
    throw error;
  }
}

export interface LaunchedServer extends RunningServer {
  readonly port: number;
}

export interface OpenedDataDir {
  readonly cluster: Cluster;
  readonly lock: DataDirLock;
  /** Clears what is left of an earlier server, then starts one; on a free port when none is given. */
  launch(port?: number): Promise<LaunchedServer>;
}

/** Takes the folder's lock and prepares its cluster. The caller releases the lock. */
export async function openDataDir(options: EmbeddedPostgresOptions): Promise<OpenedDataDir> {
  const { fast = false, log = () => undefined } = options;
  const dataDir = canonical(options.dataDir);
  const lock = await lockDataDir(dataDir);
  try {
    const binaries = await findBinaries();
    await clearLeftovers(dataDir, log);
    const cluster = await openCluster(dataDir, binaries, fast);
    return { cluster, lock, launch: (port) => launch(cluster, { port, fast, log }) };
  } catch (error) {
    lock.release();
    throw error;
  }
}

/** One name for one folder, or two processes could hold it under two names. */
function canonical(dataDir: string): string {
  const absolute = resolve(dataDir);
  // Passable for the server's account; what is inside stays closed.
  mkdirSync(dirname(absolute), { recursive: true, mode: 0o711 });
  return join(realpathSync(dirname(absolute)), basename(absolute));
}

async function launch(
  cluster: Cluster,
  { port, fast, log }: { port: number | undefined; fast: boolean; log: (line: string) => void },
): Promise<LaunchedServer> {
  const giveUpAt = Date.now() + memoryHeldMs;
  for (let attempt = 1; ; attempt++) {
    await clearLeftovers(cluster.dataDir, log);
    const chosen = port ?? (await freePort());
    try {
      return { ...(await startServer(cluster, { port: chosen, fast, log })), port: chosen };
    } catch (error) {
      if (!(error instanceof ServerStartError)) throw error;
      const portLost = error.portTaken && port === undefined && attempt < portTries;
      if (!portLost && !(error.memoryHeld && Date.now() < giveUpAt)) throw error;
      await delay(200);
    }
  }
}

export function embeddedPostgres(cluster: Cluster, running: LaunchedServer): EmbeddedPostgres {
  let stopped = false;
  return {
    url: urlOf(cluster, running.port, database),
    adminUrl: urlOf(cluster, running.port, 'postgres'),
    port: running.port,
    pid: running.pid,
    stop: () => {
      stopped = true;
      return running.stop();
    },
    onExit: (callback) => {
      void running.exited.then((exit) => {
        if (!stopped) callback(exit);
      });
    },
  };
}

export const urlOf = (cluster: Cluster, port: number, name: string) =>
  `postgres://${superuser}:${cluster.password}@127.0.0.1:${port}/${name}`;

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer().once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo;
      server.close(() => resolve(port));
    });
  });
}
