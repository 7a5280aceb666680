import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { EXIT, type ExitCode } from '../exit-codes.js';
import type { Context } from '../terminal/terminal.js';

export interface ServeFlags {
  readonly demo?: boolean;
}

/** As `npm start` has it: the heap stays small under a backlog. */
const NODE_FLAGS = ['--enable-source-maps', '--max-semi-space-size=32', '--heap-growing-percent=100'];
const SERVER = join(import.meta.dirname, '../../../server/src/main.js');

/**
 * The service in a process of its own, because flags of Node can only be given at its start. Ends with what that ends
 * with; a signal to this process goes on to it.
 */
export async function runServe({ demo = false }: ServeFlags, { env, signal }: Context): Promise<ExitCode> {
  const service = spawn(process.execPath, [...NODE_FLAGS, SERVER, ...(demo ? ['--demo'] : [])], { env, stdio: 'inherit' });
  signal.addEventListener('abort', () => service.kill('SIGTERM'), { once: true });
  const code = await new Promise<number | null>((resolve, reject) => {
    service.once('error', reject);
    service.once('exit', resolve);
  });
  if (code === EXIT.fine || code === EXIT.refused) return code;
  return EXIT.differences;
}
