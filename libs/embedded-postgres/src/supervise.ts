// Keeps a server running: when it dies while we live, it is started again on the same port, so every connection
// string stays good.
//
//   up ──server died──► down ──started──► up        down ──failed──► down, after a longer pause
//   up, down ──stop()──► stopped
//
// It never gives up: a full disk or a lost mount can come back, and the service reports itself as not ready
// meanwhile. What was not committed when the server died is lost, as with any PostgreSQL.
import { setTimeout as delay } from 'node:timers/promises';
import { embeddedPostgres, openDataDir, type EmbeddedPostgres, type EmbeddedPostgresOptions } from './start.js';
import type { ServerExit } from './server.js';

export interface SuperviseOptions extends EmbeddedPostgresOptions {
  /** The server died; it is being started again. */
  readonly onDown?: (exit: ServerExit) => void;
  /** It runs again, after so many tries. */
  readonly onUp?: (tries: number) => void;
  /** One try failed; the next follows. */
  readonly onFailedTry?: (error: unknown, pauseMs: number) => void;
  /** Pause before the first try, doubled after each. Default 100 ms, at most 5 s. */
  readonly firstPauseMs?: number;
}

export interface SupervisedPostgres extends Omit<EmbeddedPostgres, 'onExit'> {
  /** Of the server that runs now, or ran last. */
  readonly pid: number;
}

const longestPauseMs = 5_000;
/** A server that lives shorter than this did not really recover: the pauses go on growing. */
const steadyMs = 10_000;

/** @throws like startEmbeddedPostgres, when the first start fails. */
export async function superviseEmbeddedPostgres(options: SuperviseOptions): Promise<SupervisedPostgres> {
  const { onDown, onUp, onFailedTry, firstPauseMs = 100 } = options;
  const opened = await openDataDir(options);
  const stopping = new AbortController();
  let running = await opened.launch(options.port).catch((error: unknown) => {
    opened.lock.release();
    throw error;
  });
  const { url, adminUrl, port } = embeddedPostgres(opened.cluster, running);

  const restart = async (pauseMs: number): Promise<number> => {
    for (let tries = 1, pause = pauseMs; ; tries++, pause = Math.min(pause * 2, longestPauseMs)) {
      await delay(pause, undefined, { signal: stopping.signal });
      try {
        running = await opened.launch(port);
        if (stopping.signal.aborted) await running.stop();
        else onUp?.(tries);
        return pause;
      } catch (error) {
        onFailedTry?.(error, Math.min(pause * 2, longestPauseMs));
      }
    }
  };
  const watch = async () => {
    for (let pauseMs = firstPauseMs; ; ) {
      const since = Date.now();
      const exit = await running.exited;
      if (stopping.signal.aborted) return;
      onDown?.(exit);
      const steady = Date.now() - since >= steadyMs;
      pauseMs = await restart(steady ? firstPauseMs : pauseMs);
    }
  };
  const watching = watch().catch((error: unknown) => {
    if (!stopping.signal.aborted) throw error;
  });

  const stop = async () => {
    stopping.abort();
    await running.stop();
    await watching; // a start that was under way has ended by then, and been undone
    opened.lock.release();
  };
  let stopped: Promise<void> | undefined;
  return {
    url,
    adminUrl,
    port,
    get pid() {
      return running.pid;
    },
    stop: () => (stopped ??= stop()),
  };
}
