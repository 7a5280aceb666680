/**
 * The values a label may take, so that every metric is bounded by its declaration:
 * `queue` is capped for the whole process, a list is closed, `atMost` is capped for this label.
 * `top`: only the largest are ever set, so many at a time, each under its own name; for gauges that are replaced.
 * `newest`: the same of the newest, of each queue.
 */
export type LabelSpec =
  | 'queue'
  | readonly string[]
  | { readonly atMost: number }
  | { readonly top: number }
  | { readonly newest: number };

export type LabelSpecs = Readonly<Record<string, LabelSpec>>;

interface BaseSpec<Labels extends LabelSpecs> {
  readonly name: string;
  readonly help: string;
  /** Base units: `seconds`, `bytes`, or what is counted. */
  readonly unit: string;
  readonly labels: Labels;
}

export interface CounterSpec<Labels extends LabelSpecs> extends BaseSpec<Labels> {
  readonly type: 'counter';
}

export interface GaugeSpec<Labels extends LabelSpecs> extends BaseSpec<Labels> {
  readonly type: 'gauge';
  /** How several rows that share a label (`other`) become one value. */
  readonly merge: 'sum' | 'max';
  /** Series at once at most, whatever the labels would allow: of what is replaced the first ones. Default: no bound of its own. */
  readonly series?: number;
}

export interface HistogramSpec<Labels extends LabelSpecs> extends BaseSpec<Labels> {
  readonly type: 'histogram';
  readonly buckets: readonly number[];
}

export type MetricSpec = CounterSpec<LabelSpecs> | GaugeSpec<LabelSpecs> | HistogramSpec<LabelSpecs>;

/** What a caller passes: closed labels as their words, the others as text. */
export type LabelValues<Labels extends LabelSpecs> = {
  readonly [Name in keyof Labels]: Labels[Name] extends readonly (infer Word)[] ? Word : string;
};

type Body<Spec> = Omit<Spec, 'type' | 'name' | 'help' | 'unit'>;

export function counter<const Labels extends LabelSpecs>(
  name: string,
  help: string,
  unit: string,
  labels: Labels,
): CounterSpec<Labels> {
  return { type: 'counter', name, help, unit, labels };
}

export function gauge<const Labels extends LabelSpecs>(
  name: string,
  help: string,
  unit: string,
  body: Body<GaugeSpec<Labels>>,
): GaugeSpec<Labels> {
  return { type: 'gauge', name, help, unit, ...body };
}

export function histogram<const Labels extends LabelSpecs>(
  name: string,
  help: string,
  unit: string,
  body: Body<HistogramSpec<Labels>>,
): HistogramSpec<Labels> {
  return { type: 'histogram', name, help, unit, ...body };
}
