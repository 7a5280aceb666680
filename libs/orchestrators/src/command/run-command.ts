import { spawn } from 'node:child_process';

export interface CommandRun {
  /** Program and arguments; no shell reads them. */
  readonly argv: readonly string[];
  /** The whole environment of the command. */
  readonly env: Readonly<Record<string, string>>;
  readonly input: string;
  /** From the start to the end of all its processes, ms. */
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

export type CommandEnd =
  | { readonly end: 'exited'; readonly code: number; readonly output: string; readonly errors: string; readonly cut: boolean }
  | { readonly end: 'killed' | 'timed_out' | 'interrupted'; readonly errors: string }
  | { readonly end: 'not_started'; readonly reason: string };

/** What is kept of the output; the rest is read and dropped, so that the command is not held up by it. */
export const MOST_OUTPUT_BYTES = 1024 * 1024;
const MOST_ERROR_BYTES = 16 * 1024;
/** From the request to end until the kill. */
const GRACE_MS = 2_000;

/** Runs a command in a process group of its own, and ends the whole group when its time is over: a shell script's children go with it. */
export function runCommand({ argv, env, input, timeoutMs, signal }: CommandRun): Promise<CommandEnd> {
  const [program = '', ...args] = argv;
  const child = spawn(program, args, { env, stdio: ['pipe', 'pipe', 'pipe'], detached: true });
  const { promise, resolve } = Promise.withResolvers<CommandEnd>();
  const output = new Kept(MOST_OUTPUT_BYTES);
  const errors = new Kept(MOST_ERROR_BYTES);
  child.stdout.on('data', (chunk: Buffer) => output.add(chunk));
  child.stderr.on('data', (chunk: Buffer) => errors.add(chunk));
  // A command that does not read its input is no failure.
  child.stdin.on('error', () => undefined);
  child.stdin.end(input);
  let why: 'timed_out' | 'interrupted' | null = null;
  let grace: NodeJS.Timeout | null = null;
  const end = (reason: 'timed_out' | 'interrupted'): void => {
    if (why !== null) return;
    why = reason;
    killGroup(child.pid, 'SIGTERM');
    grace = setTimeout(() => {
      killGroup(child.pid, 'SIGKILL');
      // A process that left the group may still hold the pipes open.
      child.stdout.destroy();
      child.stderr.destroy();
    }, GRACE_MS);
  };
  const timer = setTimeout(() => end('timed_out'), timeoutMs);
  const interrupt = (): void => end('interrupted');
  if (signal.aborted) interrupt();
  signal.addEventListener('abort', interrupt, { once: true });
  const finish = (result: CommandEnd): void => {
    clearTimeout(timer);
    if (grace !== null) clearTimeout(grace);
    signal.removeEventListener('abort', interrupt);
    resolve(result);
  };
  child.once('error', (error: NodeJS.ErrnoException) => finish({ end: 'not_started', reason: error.code ?? error.message }));
  child.once('close', (code) => {
    // What it has left running would go on against the same target unseen.
    killGroup(child.pid, 'SIGKILL');
    if (why !== null) finish({ end: why, errors: errors.text });
    else if (code === null) finish({ end: 'killed', errors: errors.text });
    else finish({ end: 'exited', code, output: output.text, errors: errors.text, cut: output.cut });
  });
  return promise;
}

function killGroup(pid: number | undefined, signal: NodeJS.Signals): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, signal);
  } catch {
    // None of them is left.
  }
}

/** The first bytes of a stream. */
class Kept {
  cut = false;
  private readonly chunks: Buffer[] = [];
  private bytes = 0;

  constructor(private readonly most: number) {}

  add(chunk: Buffer): void {
    const room = this.most - this.bytes;
    if (chunk.length > room) this.cut = true;
    if (room <= 0) return;
    const part = chunk.subarray(0, room);
    this.chunks.push(part);
    this.bytes += part.length;
  }

  get text(): string {
    return Buffer.concat(this.chunks).toString('utf8');
  }
}
