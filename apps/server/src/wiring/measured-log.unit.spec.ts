import { expect, it } from 'vitest';
import type { JobWrite } from '#libs/application';
import { createMetrics, HotKeys } from '#libs/observability';
import { countCommitted } from './measured-log.js';

const NONE = { succeeded: 0, failed: 0, lost: 0, deadLettered: 0, anomalies: 0, runTimes: [] };

/** A job that has failed. */
function failed(queue: string, id: string): JobWrite {
  const write = { job: { ref: { namespace: 'default', queue, id }, state: {} }, events: [], verdicts: [], held: null, before: NONE, after: { ...NONE, failed: 1 } };
  return write as unknown as JobWrite;
}

async function linesOf(metrics: ReturnType<typeof createMetrics>): Promise<readonly string[]> {
  return (await metrics.registry.metrics()).split('\n').filter((line) => line !== '' && !line.startsWith('#'));
}

it('100,000 job ids in 5,000 queues with hostile names stay within the cap of series, and none of the ids is among them (J5)', async () => {
  const metrics = createMetrics({ process: false, queueLabels: 100 });
  const before = (await linesOf(metrics)).length;
  const writes = Array.from({ length: 100_000 }, (_, i) => failed(`q"${i % 50 === 0 ? "\n" : ""}${String(i % 5_000)}{}`, `unique-job-${String(i)}`));
  countCommitted(metrics, writes, new HotKeys());
  const lines = await linesOf(metrics);
  const byQueue = lines.filter((line) => line.includes('queue='));
  const names = new Set(byQueue.map((line) => line.split('{', 1)[0]));
  const perQueue = byQueue.filter((line) => line.includes('queue="other"')).length;
  expect(byQueue.length).toBeLessThanOrEqual(101 * perQueue);
  expect(lines.length - before).toBe(101 * perQueue);
  expect(names).toContain('worker_jobs_failed_total');
  expect(lines.filter((line) => line.includes('unique-job'))).toEqual([]);
  expect(byQueue).toContain(`worker_jobs_failed_total{queue="other"} ${String((5_000 - 100) * 20)}`);
});
