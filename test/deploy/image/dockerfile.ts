import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inject } from 'vitest';
import { repository } from '../repository.js';
import { run, type Ran } from '../run.js';

/** What BuildKit makes of a Dockerfile. */
export interface Build {
  readonly warnings: readonly string[];
  readonly config: ImageConfig;
  /** Commands, each of a shell. */
  readonly steps: readonly string[];
  /** Files that would be sent to it. */
  readonly context: readonly string[];
}

export interface ImageConfig {
  readonly User: string;
  /** `NAME=value`. */
  readonly Env: readonly string[];
  readonly Entrypoint?: readonly string[];
  readonly Cmd: readonly string[];
  readonly WorkingDir: string;
  readonly StopSignal: string;
  readonly Labels: Readonly<Record<string, string>>;
  readonly Healthcheck: { readonly Test: readonly string[] };
}

/** @throws with what cannot be built. */
export async function readBuild(folder = repository): Promise<Build> {
  const { code, stdout, stderr } = await run(inject('deployCheckers').dockerfile, [folder]);
  if (code !== 0) throw new Error(stderr);
  return JSON.parse(stdout) as Build;
}

/** The same of our Dockerfile with a fault put into it. */
export async function readFaulty(from: string, to: string): Promise<Ran> {
  const text = readFileSync(join(repository, 'Dockerfile'), 'utf8');
  if (!text.includes(from)) throw new Error(`The Dockerfile has no "${from}" any more.`);
  const folder = mkdtempSync(join(tmpdir(), 'jobwarden-dockerfile-'));
  try {
    writeFileSync(join(folder, 'Dockerfile'), text.replace(from, to));
    cpSync(join(repository, '.dockerignore'), join(folder, '.dockerignore'));
    return await run(inject('deployCheckers').dockerfile, [folder]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
