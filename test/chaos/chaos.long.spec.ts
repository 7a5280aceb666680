import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runChaos } from './run.js';

const twin = join(import.meta.dirname, '../../dist/test/chaos/twin-publishes-first.js');

/** The service itself is killed by `npm run soak`: a hundred times a window, five times by `.ci/run`. */
describe('a service that is killed in its windows', { timeout: 300_000 }, () => {
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
