import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createMetrics } from './create-metrics.js';
import { METRICS } from './metric-names.js';
import type { MetricSpec } from './metric-spec.js';
import { renderMetricsPage } from './reference-page.js';

const SPECS = Object.values<MetricSpec>(METRICS);

/** Anything that names one job, attempt, worker or event is unbounded. */
function unboundedLabels(labels: readonly string[]): readonly string[] {
  return labels.filter((label) => /job|worker|attempt|token|event|^id$|_id$|Id$/.test(label));
}

describe('the list of metrics', () => {
  it('has the names of the contract', () => {
    expect(SPECS.map((spec) => spec.name)).toEqual(
      expect.arrayContaining([
        'worker_jobs_processed_total',
        'worker_jobs_failed_total',
        'worker_queue_unprocessed_messages',
      ]),
    );
    expect(METRICS.jobsProcessed.labels).toEqual({ queue: 'queue', status: ['succeeded', 'failed', 'lost'] });
    expect(Object.keys(METRICS.jobsFailed.labels)).toEqual(['queue']);
    expect(Object.keys(METRICS.unprocessedMessages.labels)).toEqual(['queue']);
  });

  it('keeps to base units and to the endings that Prometheus expects', () => {
    expect(new Set(SPECS.map((spec) => spec.name)).size).toBe(SPECS.length);
    for (const { name, type, unit, help } of SPECS) {
      expect(name).toMatch(/^(?:worker|jobwarden)_[a-z]+(?:_[a-z]+)*$/);
      expect(name.endsWith('_total')).toBe(type === 'counter');
      expect(name.endsWith('_seconds')).toBe(unit === 'seconds');
      expect(name.endsWith('_bytes')).toBe(unit === 'bytes');
      expect(name.endsWith('_ratio')).toBe(unit === 'ratio');
      expect(name).not.toMatch(/_(?:ms|millis|minutes|hours|kb|mb)(?:_|$)/);
      expect(help.endsWith('.')).toBe(true);
    }
  });

  it('has no label with the id of a job or a worker (J5), nor has anything else in the registry', async () => {
    for (const spec of SPECS) expect(unboundedLabels(Object.keys(spec.labels))).toEqual([]);
    const { registry } = createMetrics();
    for (const metric of await registry.getMetricsAsJSON()) {
      for (const value of metric.values) expect(unboundedLabels(Object.keys(value.labels))).toEqual([]);
    }
  });

  it('says of what only one replica tells that it does, and of what is told by each what it is of', () => {
    const byOne = SPECS.filter(({ help }) => help.endsWith('Exported by one replica.')).map(({ name }) => name);
    expect(byOne).toEqual(expect.arrayContaining(['worker_queue_unprocessed_messages', 'worker_job_run_baseline_seconds', 'worker_heap_used_ratio', 'jobwarden_revisions_refused']));
    for (const { name, type, help } of SPECS) if (help.includes('xported by one')) expect([type, byOne.includes(name)]).toEqual(['gauge', true]);
  });

  it('would be found out if it had one', () => {
    expect(unboundedLabels(['queue', 'job_id', 'worker', 'status', 'id', 'jobId'])).toEqual([
      'job_id',
      'worker',
      'id',
      'jobId',
    ]);
  });

  it('has rising buckets, and is on its page', () => {
    const page = renderMetricsPage();
    for (const spec of SPECS) {
      expect(page).toContain(`| \`${spec.name}\` |`);
      if (spec.type === 'histogram') expect([...spec.buckets].sort((a, b) => a - b)).toEqual(spec.buckets);
    }
  });

  it('has run times so fine that rounding alone makes none twice as long as usual', () => {
    const { buckets } = METRICS.jobRunTime;
    for (const [i, upper] of buckets.entries()) if (i > 0) expect(upper / (buckets[i - 1] ?? 0)).toBeLessThanOrEqual(2);
  });

  it('is on the page that is committed', () => {
    const root = join(import.meta.dirname, '../../..');
    expect(readFileSync(join(root, 'docs/metrics.md'), 'utf8')).toBe(renderMetricsPage());
  });
});
