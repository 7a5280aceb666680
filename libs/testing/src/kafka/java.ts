// Java programs of Kafka: one that ends by itself, and a broker that must never outlive this process.
import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { Writable } from 'node:stream';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Short-lived programs: compile less, collect simply. */
const quickStart = ['-XX:TieredStopAtLevel=1', '-XX:+UseSerialGC'];
const logging = ['-Dorg.slf4j.simpleLogger.showDateTime=true', '-Dorg.slf4j.simpleLogger.dateTimeFormat=HH:mm:ss.SSS'];

export async function runJava(jars: string, args: readonly string[]): Promise<void> {
  await run('java', [...quickStart, '-Xmx128m', '-cp', `${jars}/*`, ...args]);
}

export interface JavaExit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

export interface JavaServer {
  readonly pid: number;
  readonly exited: Promise<JavaExit>;
  send(signal: NodeJS.Signals): void;
}

export interface JavaServerOptions {
  readonly jars: string;
  readonly heapMb: number;
  readonly args: readonly string[];
  readonly onLine: (line: string) => void;
}

/**
 * The shell becomes the server, so the child's pid is the server's. What it leaves behind waits on a pipe: when this
 * process is gone, however it went, the pipe closes and the server is killed. A session of its own keeps Ctrl-C away,
 * so that the tests can end before their broker does.
 */
export function startJavaServer({ jars, heapMb, args, onLine }: JavaServerOptions): JavaServer {
  const java = ['java', ...quickStart, `-Xmx${heapMb}m`, ...logging, '-cp', `${jars}/*`, ...args];
  const child = spawn('sh', ['-c', guard, 'sh', ...java], { detached: true, stdio: ['ignore', 'pipe', 'pipe', 'pipe'] });
  for (const stream of [child.stdout, child.stderr]) if (stream) createInterface({ input: stream }).on('line', onLine);
  const exited = watch(child);
  unref(child);
  return {
    pid: child.pid ?? 0,
    exited,
    send: (signal) => {
      // Once it has ended, its number may be another program's.
      if (child.exitCode === null && child.signalCode === null) child.kill(signal);
    },
  };
}

const guard = '(read -r _ <&3 || kill -KILL $$) >/dev/null 2>&1 & exec "$@" 3<&-';

function watch(child: ChildProcess): Promise<JavaExit> {
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code, signal) => {
      // A line instead of the end of the pipe: the guard leaves without killing a number that may be another's by now.
      (child.stdio[3] as Writable).end('ended\n');
      resolve({ code, signal });
    });
    (child.stdio[3] as Writable).on('error', () => undefined);
  });
}

/** Forgetting to stop a broker must not keep the program alive; the guard ends it. */
function unref(child: ChildProcess): void {
  child.unref();
  for (const stream of child.stdio) (stream as { unref?: () => void } | null)?.unref?.();
}
