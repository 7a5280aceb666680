import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { FAILPOINT_WINDOWS } from '#libs/application';
import { kafkaLeftOut } from '#libs/testing';
import { runKafkaChaos } from './run.js';

const twin = join(import.meta.dirname, '../../../dist/test/chaos/kafka/twin-stores-first.js');

/** Case D6. A first look; `.ci/run` takes more kills a window by `npm run soak:kafka`, the soak itself a hundred. */
describe.skipIf(kafkaLeftOut())('replicas that are killed in their windows while events come over Kafka', { timeout: 300_000 }, () => {
  it('lose no event, store none twice, and send no command twice or before its invalidation', async () => {
    const report = await runKafkaChaos({
      killsPerWindow: 1,
      events: 6_000,
      eventsPerSecond: 500,
      jobsPerSecond: 20,
      replicas: 2,
      minLost: 20,
      seed: 3,
      print: () => undefined,
    });
    expect(report.findings).toEqual([]);
    for (const window of FAILPOINT_WINDOWS) expect(report.kills[window], window).toBeGreaterThanOrEqual(1);
    expect(report.acknowledged).toBeGreaterThanOrEqual(6_000);
    expect(report.published.withInvalidation).toBeGreaterThan(0);
  });

  it('are found out when they store how far they have read before what they read', async () => {
    const report = await runKafkaChaos({
      entry: twin,
      killsPerWindow: 2,
      windows: ['append/commit'],
      events: 3_000,
      eventsPerSecond: 500,
      jobsPerSecond: 20,
      replicas: 1,
      seed: 5,
      quietMs: 5_000,
      print: () => undefined,
    });
    expect(report.findings.join('\n')).toMatch(/acknowledged events were read|in the log 0 times/);
  });
});
