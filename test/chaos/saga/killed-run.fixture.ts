import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import { freePort, serverEntry, useTestDatabase } from '#libs/testing';
import { killedRun, type KilledRun, type Way } from './killed.js';

/** Dozens of processes are started, one after the other. */
const WITHIN_MS = 600_000;

/** Begins a run of this way before the tests of a `describe`, and kills the shipped process until it is over. */
export function useKilledRun(way: Way): () => KilledRun {
  const database = useTestDatabase();
  const folder = mkdtempSync(join(tmpdir(), 'jobwarden-killed-'));
  let run: KilledRun | null = null;
  beforeAll(async () => {
    run = await killedRun({ databaseUrl: database.url, folder, port: await freePort(), entry: serverEntry, way });
  }, WITHIN_MS);
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  return () => {
    if (run === null) throw new Error('it has not been run');
    return run;
  };
}
