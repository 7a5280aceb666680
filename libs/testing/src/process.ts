// Whole processes in tests: started, awaited, watched, killed.
import { spawn, type ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { pollUntil } from './poll.js';

const root = join(import.meta.dirname, '../../..').replace(/[\\/]dist$/, '');

/** What `npm start` runs. The caller's command has built it (`pretest` does). */
export const serverEntry = join(root, 'dist/apps/server/src/main.js');
export const cliEntry = join(root, 'dist/apps/cli/src/main.js');

/** For the `env` of a process whose system clock is to be off by so much, ms. Timers go by the machine's all the same. */
export function shiftedClock(ms: number): Readonly<Record<string, string>> {
  const shim = pathToFileURL(join(root, 'dist/libs/testing/src/shifted-clock.js')).href;
  return { NODE_OPTIONS: `--import=${shim}`, JOBWARDEN_TEST_CLOCK_SHIFT_MS: String(ms) };
}

/**
 * Of a process that a test starts: nothing of the developer's own settings reaches it. Node's cache of compiled modules does, where
 * there is one: it makes starts quicker, and changes nothing else.
 */
export function bareEnv(): Readonly<Record<string, string>> {
  const { PATH = '', HOME = '', NODE_COMPILE_CACHE: cache } = process.env;
  return { PATH, HOME, ...(cache !== undefined && { NODE_COMPILE_CACHE: cache }) };
}

export interface ProcessOptions {
  /** A compiled JavaScript file. */
  readonly entry: string;
  readonly args?: readonly string[];
  /** Added to {@link bareEnv}. */
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
}

export interface ProcessExit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

export interface TestProcess {
  readonly pid: number;
  /** Standard output and errors so far, in the order in which they came. */
  output(): string;
  readonly exited: Promise<ProcessExit>;
  /** The part of the output that matched. @throws with the output when the process ends or the deadline passes first. */
  waitForOutput(pattern: RegExp, withinMs?: number): Promise<RegExpExecArray>;
  /** Polls an address until it answers 2xx. @throws as waitForOutput. */
  waitForOk(url: string, withinMs?: number): Promise<void>;
  /** Sends the signal (default SIGTERM) and waits for the end. @throws when it does not come in time. */
  stop(signal?: NodeJS.Signals, withinMs?: number): Promise<ProcessExit>;
  /** kill -9, and waits until the process is gone. For afterEach, too: harmless when it has ended. */
  kill(): Promise<ProcessExit>;
}

/** Starts Node on a compiled file. The caller ends the process, also when its test fails. */
export function startProcess({ entry, args = [], env = {}, cwd = root }: ProcessOptions): TestProcess {
  const child = spawn(process.execPath, ['--enable-source-maps', entry, ...args], {
    cwd,
    env: { ...bareEnv(), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const exited = new Promise<ProcessExit>((resolve) => child.once('close', (code, signal) => resolve({ code, signal })));
  return testProcess(child, exited);
}

/** Starts the service, or a twin of it at `entry`, and waits until it is ready to serve. */
export async function startServerProcess(
  options: Partial<Pick<ProcessOptions, 'entry'>> & Omit<ProcessOptions, 'entry'> & { readonly readyUrl: string; readonly withinMs?: number },
): Promise<TestProcess> {
  const service = startProcess({ entry: serverEntry, ...options });
  try {
    await service.waitForOk(options.readyUrl, options.withinMs);
    return service;
  } catch (error) {
    await service.kill();
    throw error;
  }
}

function testProcess(child: ChildProcess, exited: Promise<ProcessExit>): TestProcess {
  let output = '';
  let ended = false;
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk: Buffer) => (output += String(chunk)));
  void exited.then(() => (ended = true));

  const waitFor = async <T>(what: string, look: () => T | undefined | Promise<T | undefined>, withinMs = 30_000) => {
    let found: T | undefined;
    // Looks once more after the end: the last output may be what is awaited.
    await pollUntil(async () => {
      const last = ended;
      found = await look();
      return found !== undefined || last;
    }, { withinMs });
    if (found !== undefined) return found;
    const reason = ended ? 'the process ended first' : `not within ${withinMs} ms`;
    throw new Error(`${what}: ${reason}. Its output:\n${output}`);
  };
  const stop = async (signal: NodeJS.Signals = 'SIGTERM', withinMs = 20_000) => {
    child.kill(signal);
    const deadline = new AbortController();
    const late = delay(withinMs, 'late' as const, { signal: deadline.signal, ref: false }).catch(() => 'late' as const);
    const outcome = await Promise.race([exited, late]);
    deadline.abort();
    if (outcome !== 'late') return outcome;
    child.kill('SIGKILL');
    throw new Error(`Still running ${withinMs} ms after ${signal}. Its output:\n${output}`);
  };
  return {
    pid: child.pid ?? 0,
    output: () => output,
    exited,
    stop,
    kill: () => stop('SIGKILL'),
    waitForOutput: (pattern, withinMs) =>
      waitFor(`Output ${String(pattern)}`, () => pattern.exec(output) ?? undefined, withinMs),
    waitForOk: async (url, withinMs) => {
      await waitFor(url, async () => ((await answersOk(url)) ? true : undefined), withinMs);
    },
  };
}

async function answersOk(url: string): Promise<boolean> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(2_000) });
    await response.body?.cancel();
    return response.ok;
  } catch {
    return false; // not listening yet
  }
}
