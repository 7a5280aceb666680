import { spawn } from 'node:child_process';
import { once } from 'node:events';

export interface Ran {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  readonly cwd?: string;
  /** Added to PATH and HOME, which is all that it gets of the environment of the tests. */
  readonly env?: Readonly<Record<string, string>>;
  readonly input?: string;
  /** Default: a minute. */
  readonly withinMs?: number;
}

/** A program and what it said, whatever it ends with. */
export async function run(program: string, args: readonly string[], { cwd, env = {}, input = '', withinMs = 60_000 }: RunOptions = {}): Promise<Ran> {
  const { PATH = '', HOME = '' } = process.env;
  const child = spawn(program, args, { ...(cwd !== undefined && { cwd }), env: { PATH, HOME, ...env }, timeout: withinMs, killSignal: 'SIGKILL' });
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (chunk: Buffer) => (stdout += String(chunk)));
  child.stderr.on('data', (chunk: Buffer) => (stderr += String(chunk)));
  child.stdin.on('error', () => undefined);
  child.stdin.end(input);
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, stdout, stderr };
}
