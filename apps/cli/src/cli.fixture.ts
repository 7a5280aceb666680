import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { bareEnv, cliEntry, freePort, startServerProcess, type TestProcess } from '#libs/testing';

export const root = join(import.meta.dirname, '../../..');

export interface CliRun {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** The compiled command line as a process of its own, in a bare environment. */
export async function cli(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  cwd = root,
): Promise<CliRun> {
  return await new Promise((resolve) => {
    execFile(process.execPath, [cliEntry, ...args], { cwd, env: { ...bareEnv(), ...env } }, (error, stdout, stderr) => {
      const code = error === null ? 0 : typeof error.code === 'number' ? error.code : -1;
      resolve({ code, stdout, stderr });
    });
  });
}

export interface TestService {
  readonly url: string;
  readonly process: TestProcess;
}

/** The service as a process, on a free port. The caller ends it. */
export async function service(env: Readonly<Record<string, string>>): Promise<TestService> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const process = await startServerProcess({
    readyUrl: `${url}/readyz`,
    withinMs: 60_000,
    env: { JOBWARDEN_HTTP_PORT: String(port), JOBWARDEN_LOG_LEVEL: 'warn', ...env },
  });
  return { url, process };
}
