import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { kafkaLeftOut } from '#libs/testing';
import { runKafkaChaos } from './run.js';

const twin = join(import.meta.dirname, '../../../dist/test/chaos/kafka/twin-stores-first.js');

/** Case D6. The service itself is killed by `npm run soak:kafka`: a hundred times a window, five times by `.ci/run`. */
describe.skipIf(kafkaLeftOut())('replicas that are killed in their windows while events come over Kafka', { timeout: 300_000 }, () => {
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
