import type { CommandTrace, TraceContext } from '@jobwarden/client';

/** Counts what has ended; see `@jobwarden/worker/metrics`. */
export interface Metrics {
  ended(queue: string, status: 'succeeded' | 'failed'): void;
}

/** What a span is made of. */
export interface SpanOf {
  readonly queue: string;
  readonly id: string;
  /** As far as it is known before a claim has said so. */
  readonly attempt: number;
  readonly kind: string | undefined;
  readonly worker: string;
  /** Of whoever queued the job, and of the attempt before, as far as they are known. */
  readonly trace: CommandTrace | undefined;
}

/** How an attempt's span ends. */
export interface SpanEnd {
  readonly outcome: 'succeeded' | 'failed' | 'stopped';
  readonly error?: unknown;
  /** Why it was stopped. */
  readonly reason?: string;
}

/** The span of one attempt. One that never ends was never begun, and is shown nowhere. */
export interface AttemptSpan {
  /** Its own, for the events of the attempt and for what the handler calls; undefined: nothing is traced. */
  readonly trace: TraceContext | undefined;
  /** A claim has said which attempt it is, and what it belongs to. May be called again. */
  granted(of: Pick<SpanOf, 'attempt' | 'kind' | 'trace'>): void;
  /** Runs `work` with the span active. */
  within<T>(work: () => Promise<T>): Promise<T>;
  end(end: SpanEnd): void;
}

/** See `@jobwarden/worker/opentelemetry`. */
export interface Tracing {
  /** Called before the attempt is asked for, since the claim and the start carry its context. Must not throw. */
  begin(of: SpanOf): AttemptSpan;
}
