import { describe, expect, it } from 'vitest';
import { createMetrics } from './create-metrics.js';
import { METRICS, type MetricKey } from './metric-names.js';
import type { LabelSpec, MetricSpec } from './metric-spec.js';

const QUEUES = 100;
const HOSTILE = Array.from({ length: 5_000 }, (_, i) => `${['', 'a"', '\n', '\\', '{}', '\u202e', '__proto__'][i % 7] ?? ''}${String(i)}${'x'.repeat(i % 400)}`);

/** Values that a label can have at once, with `other`; of those that only the largest or newest get, the metric's own bound counts. */
function valuesOf(label: LabelSpec): number {
  if (label === 'queue') return QUEUES + 1;
  if ('top' in label || 'newest' in label) return Number.POSITIVE_INFINITY;
  return 'atMost' in label ? label.atMost + 1 : label.length + 1;
}

/** Lines of one metric at most, by what its declaration says. */
function capOf(spec: MetricSpec): number {
  const labels = Object.values(spec.labels).reduce((product, label) => product * valuesOf(label), 1);
  const series = Math.min(labels, spec.type === 'gauge' ? (spec.series ?? labels) : labels);
  return spec.type === 'histogram' ? series * (spec.buckets.length + 3) : series;
}

/** Whatever a stranger may call his queues, kinds, routes and revisions. */
function flood(metrics: ReturnType<typeof createMetrics>, key: MetricKey, spec: MetricSpec): void {
  const labelsOf = (name: string) => Object.fromEntries(Object.keys(spec.labels).map((label) => [label, name]));
  const instrument = metrics[key] as unknown as {
    add(labels: object): void;
    observe(labels: object, value: number): void;
    replace(rows: Iterable<readonly [object, number]>): void;
  };
  if (spec.type === 'gauge') instrument.replace(HOSTILE.map((name) => [labelsOf(name), 1] as const));
  else if (spec.type === 'counter') for (const name of HOSTILE) instrument.add(labelsOf(name));
  else for (const name of HOSTILE) instrument.observe(labelsOf(name), 1);
}

const linesOf = async (metrics: ReturnType<typeof createMetrics>) =>
  (await metrics.registry.metrics()).split('\n').filter((line) => line !== '' && !line.startsWith('#'));
const ofMetric = (name: string) => new RegExp(`^${name}(?:_bucket|_sum|_count)?[{ ]`, 'u');

describe('5,000 hostile names in every label of every metric (J5)', () => {
  it('open no more series than each of them declares', async () => {
    const metrics = createMetrics({ process: false, queueLabels: QUEUES });
    const specs = Object.entries(METRICS) as [MetricKey, MetricSpec][];
    for (const [key, spec] of specs) flood(metrics, key, spec);
    const lines = await linesOf(metrics);
    for (const [, spec] of specs) {
      const cap = capOf(spec);
      expect(Number.isFinite(cap), `${spec.name} is bounded`).toBe(true);
      const found = lines.filter((line) => ofMetric(spec.name).test(line)).length;
      expect(found, spec.name).toBeGreaterThan(0);
      expect(found, spec.name).toBeLessThanOrEqual(cap);
    }
    for (const line of lines) expect(line).toMatch(/^[a-z_]+(?:\{(?:[a-z]+="(?:[^"\\\n]|\\["\\n])*",?)*\})? [\d.e+-]+$/u);
  });

  it('would be found out where a label had no bound', () => {
    const spec: MetricSpec = { type: 'gauge', name: 'x', help: '', unit: '', labels: { revision: { newest: 3 } }, merge: 'max' };
    expect(capOf(spec)).toBe(Number.POSITIVE_INFINITY);
  });
});

describe('what is no number (K10)', () => {
  it('is absent, whoever says it', async () => {
    const metrics = createMetrics({ process: false });
    const before = await linesOf(metrics);
    for (const value of [Number.NaN, Number.POSITIVE_INFINITY]) {
      metrics.workerHeap.replace([[{ queue: 'mails' }, value]]);
      metrics.heapLimit.set({}, value);
      metrics.jobWait.observe({ queue: 'mails' }, value);
    }
    expect(await linesOf(metrics)).toEqual(before.filter((line) => !line.startsWith('jobwarden_heap_limit')));
    metrics.heapLimit.set({}, 5);
    expect(await linesOf(metrics)).toContain('jobwarden_heap_limit_bytes 5');
  });

  it('is told of no process, however soon one scrape follows another', async () => {
    const metrics = createMetrics();
    await linesOf(metrics);
    const lines = await linesOf(metrics);
    expect(lines.filter((line) => !Number.isFinite(Number(line.slice(line.lastIndexOf(' ')))))).toEqual([]);
    expect(lines.filter((line) => line.startsWith('nodejs_eventloop_lag')).length).toBeGreaterThan(3);
    // Nanoseconds without a measurement are 292 years.
    for (const line of lines.filter((l) => l.startsWith('nodejs_eventloop_lag'))) expect(Number(line.split(' ')[1])).toBeLessThan(60);
  });
});
