import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { FAILPOINT_WINDOWS } from '#libs/application';
import { runChaos } from './run.js';

const twin = join(import.meta.dirname, '../../dist/test/chaos/twin-publishes-first.js');

describe('a service that is killed in its windows', { timeout: 600_000 }, () => {
  it('loses nothing that it acknowledged and sends no command twice', async () => {
    const report = await runChaos({ killsPerWindow: 10, jobsPerSecond: 20, minLost: 100, seed: 3, print: () => undefined });
    expect(report.findings).toEqual([]);
    for (const window of FAILPOINT_WINDOWS) expect(report.kills[window], window).toBeGreaterThanOrEqual(10);
    expect(report.counted.lost).toBeGreaterThanOrEqual(100);
    expect(report.acknowledged).toBeGreaterThan(500);
  });

  it('is found out when it publishes before it commits', async () => {
    const report = await runChaos({
      entry: twin,
      killsPerWindow: 3,
      windows: ['append/commit'],
      jobsPerSecond: 20,
      minLost: 20,
      seed: 5,
      print: () => undefined,
    });
    expect(report.findings.join('\n')).toMatch(/without its decision|commands for/);
  });
});
