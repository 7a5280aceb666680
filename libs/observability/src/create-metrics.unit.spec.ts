import { describe, expect, it } from 'vitest';
import { createMetrics, type Metrics } from './create-metrics.js';

async function seriesOf(metrics: Metrics, name: string): Promise<readonly string[]> {
  const text = await metrics.registry.metrics();
  return text.split('\n').filter((line) => line.startsWith(`${name}{`) || line.startsWith(`${name} `));
}

const bare = (queueLabels = 1_000): Metrics => createMetrics({ process: false, queueLabels });

describe('series by queue (J5)', () => {
  it('stay within the cap for 5,000 queues, and the rest is counted in other', async () => {
    const metrics = bare();
    for (let n = 0; n < 5_000; n += 1) {
      metrics.jobsProcessed.add({ queue: `queue-${String(n)}`, status: 'succeeded' });
      metrics.jobsFailed.add({ queue: `queue-${String(n)}` });
    }
    expect(await seriesOf(metrics, 'worker_jobs_processed_total')).toHaveLength(1_001 * 3);
    expect(await seriesOf(metrics, 'worker_jobs_failed_total')).toHaveLength(1_001);
    expect(await seriesOf(metrics, 'worker_jobs_failed_total')).toContain(
      'worker_jobs_failed_total{queue="other"} 4000',
    );
  });

  it('have the same queues in every metric', async () => {
    const metrics = bare(1);
    metrics.jobsFailed.add({ queue: 'first' });
    metrics.jobsRetried.add({ queue: 'second' });
    metrics.jobRunTime.observe({ queue: 'first' }, 2);
    expect(await seriesOf(metrics, 'worker_jobs_retried_total')).toEqual([
      'worker_jobs_retried_total{queue="other"} 1',
    ]);
    expect(await seriesOf(metrics, 'worker_job_run_seconds_count')).toEqual([
      'worker_job_run_seconds_count{queue="first"} 1',
    ]);
  });

  it('cannot be broken by the names: every line stays one that Prometheus reads', async () => {
    const metrics = bare();
    const names = [
      'a"b',
      'a\\',
      'a\nworker_jobs_failed_total{queue="x"} 9',
      '{}',
      '',
      '__proto__',
      'constructor',
      '\uD800',
      'é',
      '\u0000',
      'x'.repeat(9_999),
    ];
    for (const queue of names) metrics.jobsFailed.add({ queue });
    const lines = await seriesOf(metrics, 'worker_jobs_failed_total');
    expect(lines).toHaveLength(names.length);
    for (const line of lines) expect(line).toMatch(/^worker_jobs_failed_total\{queue="(?:[^"\\\n]|\\["\\n])+"\} 1$/);
  });
});

describe('counters', () => {
  it('begin at 0, so that the first event is seen by rate()', async () => {
    const metrics = bare();
    expect(await seriesOf(metrics, 'jobwarden_ingest_events_total')).toHaveLength(5);
    expect(await seriesOf(metrics, 'jobwarden_sweep_looked_total')).toEqual(['jobwarden_sweep_looked_total 0']);
    metrics.jobsProcessed.add({ queue: 'q', status: 'lost' }, 2);
    expect(await seriesOf(metrics, 'worker_jobs_processed_total')).toEqual([
      'worker_jobs_processed_total{queue="q",status="succeeded"} 0',
      'worker_jobs_processed_total{queue="q",status="failed"} 0',
      'worker_jobs_processed_total{queue="q",status="lost"} 2',
    ]);
  });

  it('count a value outside of their closed list as other, should one get past the types', async () => {
    const metrics = bare();
    const untyped: { add: (labels: Record<string, string>) => void } = metrics.ingested as never;
    untyped.add({ outcome: 'invented' });
    expect(await seriesOf(metrics, 'jobwarden_ingest_events_total')).toContain(
      'jobwarden_ingest_events_total{outcome="other"} 1',
    );
  });
});

describe('gauges by queue', () => {
  it('are absent until known, and again when no longer known', async () => {
    const metrics = bare();
    expect(await seriesOf(metrics, 'worker_queue_unprocessed_messages')).toEqual([]);
    metrics.unprocessedMessages.replace([
      [{ queue: 'a' }, 5],
      [{ queue: 'b' }, 0],
    ]);
    metrics.unprocessedMessages.replace([[{ queue: 'b' }, 7]]);
    expect(await seriesOf(metrics, 'worker_queue_unprocessed_messages')).toEqual([
      'worker_queue_unprocessed_messages{queue="b"} 7',
    ]);
    metrics.unprocessedMessages.forget({ queue: 'b' });
    expect(await seriesOf(metrics, 'worker_queue_unprocessed_messages')).toEqual([]);
  });

  it('sum what shares other, or take the oldest', async () => {
    const metrics = bare(1);
    const rows = [1, 2, 3].map((value) => [{ queue: `q${String(value)}` }, value] as const);
    metrics.unprocessedMessages.replace(rows);
    metrics.oldestUnresolved.replace(rows);
    expect(await seriesOf(metrics, 'worker_queue_unprocessed_messages')).toContain(
      'worker_queue_unprocessed_messages{queue="other"} 5',
    );
    expect(await seriesOf(metrics, 'jobwarden_oldest_unresolved_seconds')).toContain(
      'jobwarden_oldest_unresolved_seconds{queue="other"} 3',
    );
  });
});

it('two services in one process have registries of their own, with the figures of the process', async () => {
  const [one, two] = [createMetrics(), createMetrics()];
  one.policyReloadFailed.set({}, 1);
  expect(await seriesOf(two, 'jobwarden_policy_reload_failed')).toEqual(['jobwarden_policy_reload_failed 0']);
  expect(await seriesOf(two, 'process_resident_memory_bytes')).toHaveLength(1);
  expect(await seriesOf(two, 'nodejs_eventloop_lag_seconds')).toHaveLength(1);
});
