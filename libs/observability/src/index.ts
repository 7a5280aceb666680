export { METRICS, type MetricKey } from './metric-names.js';
export type { LabelSpec, MetricSpec } from './metric-spec.js';
export type { CounterInstrument, GaugeInstrument, HistogramInstrument, Instrument } from './instruments.js';
export { createMetrics, DEFAULT_QUEUE_LABELS, type Metrics, type MetricsOptions } from './create-metrics.js';
export { createLogger, loggerOptions, type LogOptions } from './logger.js';
export { beginTracing, runningTraces, startTracing, stopTracing, type Tracing } from './tracing.js';
export { HotKeys, type HotKeysOptions } from './hot-keys.js';
