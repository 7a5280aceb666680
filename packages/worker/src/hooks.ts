/** Counts what has ended; see `@jobwarden/worker/metrics`. */
export interface Metrics {
  ended(queue: string, status: 'succeeded' | 'failed'): void;
}

/** What a span is made of. */
export interface SpanOf {
  readonly queue: string;
  readonly id: string;
  readonly attempt: number;
  readonly kind: string | undefined;
  readonly worker: string;
  /** Of whoever queued the job: the span links to it. */
  readonly traceparent: string | undefined;
}

/** How an attempt's span ends. */
export interface SpanEnd {
  readonly outcome: 'succeeded' | 'failed' | 'stopped';
  readonly error?: unknown;
  /** Why it was stopped. */
  readonly reason?: string;
}

/** See `@jobwarden/worker/opentelemetry`. */
export interface Tracing {
  /** W3C trace context of what runs now; undefined: nothing is traced. */
  current(): string | undefined;
  /** Runs `work` inside a new span; `work` gets the span's own trace context, and says how it ended. */
  attempt<R>(of: SpanOf, work: (traceparent: string | undefined) => Promise<{ readonly end: SpanEnd; readonly value: R }>): Promise<R>;
}
