import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import { LabelCap, OTHER, sanitiseLabel } from './label-cap.js';
import type {
  CounterSpec,
  GaugeSpec,
  HistogramSpec,
  LabelSpec,
  LabelSpecs,
  LabelValues,
  MetricSpec,
} from './metric-spec.js';

export interface CounterInstrument<Labels extends LabelSpecs> {
  /** Adds `by`, 1 unless given; never negative. */
  readonly add: (labels: LabelValues<Labels>, by?: number) => void;
}

export interface GaugeInstrument<Labels extends LabelSpecs> {
  /** One value; absent where it is no finite number. Values that share the label `other` overwrite each other: use `replace` for those by queue. */
  readonly set: (labels: LabelValues<Labels>, value: number) => void;
  /** No longer known: the series is absent until it is set again. */
  readonly forget: (labels: LabelValues<Labels>) => void;
  /**
   * All values at once: what is not among them becomes absent; what shares a label is summed, or the largest taken. Beyond
   * the bound on the metric's series the last of them are left out.
   */
  readonly replace: (rows: Iterable<readonly [LabelValues<Labels>, number]>) => void;
}

export interface HistogramInstrument<Labels extends LabelSpecs> {
  /** In the metric's base unit: seconds, not milliseconds. What is no finite number is left out. */
  readonly observe: (labels: LabelValues<Labels>, value: number) => void;
}

export type Instrument<Spec extends MetricSpec> =
  Spec extends CounterSpec<infer Labels>
    ? CounterInstrument<Labels>
    : Spec extends GaugeSpec<infer Labels>
      ? GaugeInstrument<Labels>
      : Spec extends HistogramSpec<infer Labels>
        ? HistogramInstrument<Labels>
        : never;

type Values = Readonly<Record<string, string>>;

/** Turns what callers pass into bounded label values. One per registry, so that a queue is named alike everywhere. */
export class LabelBounds {
  readonly #queues: LabelCap;

  constructor(queueCap: number) {
    this.#queues = new LabelCap(queueCap);
  }

  for(labels: LabelSpecs): (values: Values) => Record<string, string> {
    const bounds = Object.entries(labels).map(([name, spec]) => [name, this.#bound(spec)] as const);
    return (values) => {
      const bounded: Record<string, string> = {};
      for (const [name, bound] of bounds) bounded[name] = bound(values[name] ?? '');
      return bounded;
    };
  }

  #bound(spec: LabelSpec): (value: string) => string {
    if (spec === 'queue') return (value) => this.#queues.labelOf(value);
    if ('atMost' in spec) {
      const cap = new LabelCap(spec.atMost);
      return (value) => cap.labelOf(value);
    }
    if ('top' in spec || 'newest' in spec) return sanitiseLabel;
    // The type says it already; a value that got past it must not open a series.
    const words = new Set(spec);
    return (value) => (words.has(value) ? value : OTHER);
  }
}

export function createCounter(
  spec: CounterSpec<LabelSpecs>,
  bounds: LabelBounds,
  registry: Registry,
): CounterInstrument<LabelSpecs> {
  const metric = new Counter({
    name: spec.name,
    help: spec.help,
    labelNames: Object.keys(spec.labels),
    registers: [registry],
  });
  const bound = bounds.for(spec.labels);
  const begun = new Set<string>();
  // A series that appears with its first event hides that event from rate(): begin all of a queue's at 0.
  const begin = (labels: Record<string, string>): void => {
    const open = Object.keys(spec.labels).filter((name) => !isClosed(spec.labels[name]));
    const key = JSON.stringify(open.map((name) => labels[name]));
    if (begun.has(key)) return;
    begun.add(key);
    for (const combination of closedCombinations(spec.labels)) metric.inc({ ...labels, ...combination }, 0);
  };
  if (Object.values(spec.labels).every(isClosed)) begin({});
  return {
    add(values, by = 1) {
      const labels = bound(values);
      begin(labels);
      metric.inc(labels, by);
    },
  };
}

export function createGauge(
  spec: GaugeSpec<LabelSpecs>,
  bounds: LabelBounds,
  registry: Registry,
): GaugeInstrument<LabelSpecs> {
  const metric = new Gauge({
    name: spec.name,
    help: spec.help,
    labelNames: Object.keys(spec.labels),
    registers: [registry],
  });
  const bound = bounds.for(spec.labels);
  return {
    set(values, value) {
      if (Number.isFinite(value)) metric.set(bound(values), value);
      else metric.remove(bound(values));
    },
    forget: (values) => metric.remove(bound(values)),
    replace(rows) {
      const merged = new Map<string, { labels: Record<string, string>; value: number }>();
      for (const [values, value] of rows) {
        if (!Number.isFinite(value)) continue;
        const labels = bound(values);
        const key = JSON.stringify(labels);
        const before = merged.get(key);
        if (before === undefined) {
          if (merged.size < (spec.series ?? Number.POSITIVE_INFINITY)) merged.set(key, { labels, value });
        } else before.value = spec.merge === 'sum' ? before.value + value : Math.max(before.value, value);
      }
      metric.reset();
      for (const { labels, value } of merged.values()) metric.set(labels, value);
    },
  };
}

export function createHistogram(
  spec: HistogramSpec<LabelSpecs>,
  bounds: LabelBounds,
  registry: Registry,
): HistogramInstrument<LabelSpecs> {
  const labelNames = Object.keys(spec.labels);
  const metric = new Histogram({
    name: spec.name,
    help: spec.help,
    labelNames,
    buckets: [...spec.buckets],
    registers: [registry],
  });
  const bound = bounds.for(spec.labels);
  return {
    observe(values, value) {
      if (Number.isFinite(value)) metric.observe(bound(values), value);
    },
  };
}

function isClosed(spec: LabelSpec | undefined): boolean {
  return Array.isArray(spec);
}

function isList(spec: LabelSpec): spec is readonly string[] {
  return Array.isArray(spec);
}

function closedCombinations(labels: LabelSpecs): Record<string, string>[] {
  let combinations: Record<string, string>[] = [{}];
  for (const [name, spec] of Object.entries(labels)) {
    if (!isList(spec)) continue;
    combinations = combinations.flatMap((begun) => spec.map((word) => ({ ...begun, [name]: word })));
  }
  return combinations;
}
