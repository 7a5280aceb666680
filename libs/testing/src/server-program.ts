import { spawn, type SpawnOptions } from 'node:child_process';
import { rmSync } from 'node:fs';

/** A server of the tests that npm cannot bring, as a process with a folder of its own. */
export interface ServerProgram {
  /** All that it has said. */
  said(): string;
  readonly hasEnded: boolean;
  /** SIGTERM; resolves when it is gone, and its folder with it. Idempotent. */
  stop(): Promise<void>;
}

export function startProgram(program: string, args: readonly string[], { folder, ...options }: SpawnOptions & { readonly folder: string }): ServerProgram {
  const child = spawn(program, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
  const ended = new Promise<void>((resolve) => {
    child.once('error', () => resolve());
    child.once('close', () => resolve());
  });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (said += String(chunk)));
  return {
    said: () => said,
    get hasEnded() {
      return child.pid === undefined || child.exitCode !== null;
    },
    async stop() {
      if (child.pid !== undefined && child.exitCode === null) child.kill('SIGTERM');
      await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
