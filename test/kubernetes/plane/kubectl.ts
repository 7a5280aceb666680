// The kubectl that people and scripts use, for what they would see.
import { execFile } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inject } from 'vitest';
import { kubeconfigText } from './control-plane.js';

export interface CommandAnswer {
  readonly code: number;
  readonly output: string;
  readonly errors: string;
}

/** In a namespace; with a folder of its own for what it caches. */
export function kubectlIn(namespace: string): (...args: readonly string[]) => Promise<CommandAnswer> {
  const { server, ca, adminToken, kubectl } = inject('kubernetes');
  const folder = mkdtempSync(join(tmpdir(), 'jobwarden-kubectl-'));
  const kubeconfig = join(folder, 'config');
  writeFileSync(kubeconfig, kubeconfigText({ server, ca, token: adminToken }));
  const always = ['--kubeconfig', kubeconfig, '--cache-dir', join(folder, 'cache'), '-n', namespace];
  return (...args) => run(kubectl, [...always, ...args]);
}

export function run(program: string, args: readonly string[]): Promise<CommandAnswer> {
  const { promise, resolve } = Promise.withResolvers<CommandAnswer>();
  execFile(program, args, { timeout: 40_000 }, (error, output, errors) => {
    const code = error === null ? 0 : typeof error.code === 'number' ? error.code : -1;
    resolve({ code, output, errors });
  });
  return promise;
}
