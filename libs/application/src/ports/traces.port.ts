import type { TraceContext } from '#libs/contracts';

/**
 * Spans of what the service does, for whoever collects them. Told once it is done, so nothing waits for it and nothing is
 * told of what was rolled back. Where nobody collects there is no `Traces` at all, and nothing is looked at for it.
 */
export interface Traces {
  /** Now, as the start of a span. By the process's own clock, ms: only for durations that a person looks at. */
  now(): number;
  /** A span from `since` until now. Never throws; what it costs is bounded by {@link MOST_LINKS}. */
  tell(span: ToldSpan, since: number): void;
}

export interface ToldSpan {
  /** From a bounded list: no name of a queue or of a job is in it. */
  readonly name: string;
  readonly kind: 'internal' | 'consumer' | 'producer';
  /** The trace that it belongs to, which says whether it is sampled; null: a trace of its own. */
  readonly parent: TraceContext | null;
  /** Of the jobs that it was about, as far as they are not its parent; at most {@link MOST_LINKS}. */
  readonly links?: readonly TraceContext[];
  /** Never a payload, nor what a person has written. */
  readonly attributes: Readonly<Record<string, string | number | boolean>>;
}

/** Of one span: a batch may be of a thousand jobs. */
export const MOST_LINKS = 128;
