import { collectDefaultMetrics, Registry } from 'prom-client';
import { createCounter, createGauge, createHistogram, LabelBounds, type Instrument } from './instruments.js';
import { METRICS, type MetricKey } from './metric-names.js';
import type { MetricSpec } from './metric-spec.js';

/** Of a scrape that follows another one at once these are no numbers, or nonsense: nothing was measured between the two. */
const UNDEFINED_AT_TIMES = ['min', 'mean', 'stddev'].map((figure) => `nodejs_eventloop_lag_${figure}_seconds`);

export const DEFAULT_QUEUE_LABELS = 1_000;

/** Every metric of `METRICS`, by its key there. */
export type Metrics = { readonly [Key in MetricKey]: Instrument<(typeof METRICS)[Key]> } & {
  /** `await registry.metrics()` is the answer to `/metrics`, of type `registry.contentType`. */
  readonly registry: Registry;
};

export interface MetricsOptions {
  /** A new one unless given; never prom-client's global one, which two services in one process would share. */
  readonly registry?: Registry;
  /** Distinct queue names with a label of their own; 1,000 unless given. */
  readonly queueLabels?: number;
  /** Heap, event loop lag, garbage collection, CPU of the process. On unless false. */
  readonly process?: boolean;
}

/** Registers every metric; throws when the registry already has one of them. */
export function createMetrics(options: MetricsOptions = {}): Metrics {
  const registry = options.registry ?? new Registry();
  const bounds = new LabelBounds(options.queueLabels ?? DEFAULT_QUEUE_LABELS);
  if (options.process !== false) {
    collectDefaultMetrics({ register: registry });
    for (const name of UNDEFINED_AT_TIMES) registry.removeSingleMetric(name);
  }
  const instruments = Object.entries<MetricSpec>(METRICS).map(([key, spec]) => [key, create(spec, bounds, registry)]);
  return { ...Object.fromEntries(instruments), registry } as Metrics;
}

function create(spec: MetricSpec, bounds: LabelBounds, registry: Registry): unknown {
  switch (spec.type) {
    case 'counter':
      return createCounter(spec, bounds, registry);
    case 'gauge':
      return createGauge(spec, bounds, registry);
    case 'histogram':
      return createHistogram(spec, bounds, registry);
  }
}
