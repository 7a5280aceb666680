import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { WINDOWS } from './windows.js';
import { runChaos } from './run.js';

const twin = join(import.meta.dirname, '../../dist/test/chaos/twin-publishes-first.js');

/** A first look; `.ci/run` takes ten kills a window by `npm run soak`, the soak itself a hundred. */
describe('a service that is killed in its windows', { timeout: 300_000 }, () => {
  it('loses nothing that it acknowledged and sends no command twice', async () => {
    const report = await runChaos({ killsPerWindow: 1, jobsPerSecond: 20, minLost: 20, seed: 3, print: () => undefined });
    expect(report.findings).toEqual([]);
    for (const window of WINDOWS) expect(report.kills[window], window).toBeGreaterThanOrEqual(1);
    expect(report.counted.lost).toBeGreaterThanOrEqual(20);
    expect(report.acknowledged).toBeGreaterThan(100);
  });

  it('is found out when it publishes before it commits', async () => {
    const report = await runChaos({
      entry: twin,
      killsPerWindow: 2,
      windows: ['append/commit'],
      jobsPerSecond: 20,
      minLost: 20,
      seed: 5,
      quietMs: 5_000,
      print: () => undefined,
    });
    expect(report.findings.join('\n')).toMatch(/without its decision|commands for/);
  });
});
