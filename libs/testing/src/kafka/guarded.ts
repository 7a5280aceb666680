// A server that must never outlive this process.
import { spawn, type ChildProcess } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { Writable } from 'node:stream';

export interface ServerExit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

export interface GuardedServer {
  readonly pid: number;
  readonly exited: Promise<ServerExit>;
  /** Nothing happens once it has ended. */
  send(signal: NodeJS.Signals): void;
  /** Sends the signal and waits for the end. */
  end(signal: NodeJS.Signals): Promise<ServerExit>;
}

/**
 * The shell becomes the server, so the child's pid is the server's. What it leaves behind waits on a pipe: when this
 * process is gone, however it went, the pipe closes and the server is killed. A session of its own keeps Ctrl-C away,
 * so that the tests can end before their server does.
 */
const guard = '(read -r _ <&3 || kill -KILL $$) >/dev/null 2>&1 & exec "$@" 3<&-';

export function startGuarded(command: readonly string[], onLine: (line: string) => void): GuardedServer {
  const stdio = ['ignore', 'pipe', 'pipe', 'pipe'] as const;
  const child = spawn('sh', ['-c', guard, 'sh', ...command], { detached: true, stdio: [...stdio] });
  for (const stream of [child.stdout, child.stderr]) if (stream) createInterface({ input: stream }).on('line', onLine);
  const exited = watch(child);
  unref(child);
  const send = (signal: NodeJS.Signals) => {
    // Once it has ended, its number may be another program's.
    if (child.exitCode === null && child.signalCode === null) child.kill(signal);
  };
  return {
    pid: child.pid ?? 0,
    exited,
    send,
    end: (signal) => {
      // Else the program could be over while it waits, with whatever should follow.
      child.ref();
      send(signal);
      return exited;
    },
  };
}

function watch(child: ChildProcess): Promise<ServerExit> {
  const pipe = child.stdio[3] as Writable;
  pipe.on('error', () => undefined);
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code, signal) => {
      // A line instead of the end of the pipe: the guard leaves without killing a number that may be another's by now.
      pipe.end('ended\n');
      resolve({ code, signal });
    });
  });
}

/** Forgetting to stop a server must not keep the program alive; the guard ends it. */
function unref(child: ChildProcess): void {
  child.unref();
  for (const stream of child.stdio) (stream as { unref?: () => void } | null)?.unref?.();
}
