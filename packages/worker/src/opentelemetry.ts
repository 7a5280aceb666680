import { readTrace, traceOfSpan } from '@jobwarden/client';
import {
  context,
  isSpanContextValid,
  SpanKind,
  SpanStatusCode,
  trace,
  type Attributes,
  type Context,
  type Link,
  type Span,
  type SpanContext,
  type Tracer,
} from '@opentelemetry/api';
import type { AttemptSpan, SpanEnd, SpanOf, Tracing } from './hooks.js';
import { ReadTraceState } from './trace-state.js';

export interface OpenTelemetryOptions {
  /** Default: that of the program's SDK, under the name `@jobwarden/worker`. */
  readonly tracer?: Tracer;
  /**
   * `child`: attempts are spans of the producer's trace, and sampled as it is. `link`: each is a trace of its own, linked to
   * the producer's; for jobs that wait for days, where a backend closes a trace sooner. Default `child`.
   */
  readonly relation?: 'child' | 'link';
}

/**
 * A span per attempt (`process <queue>`, kind consumer), by OpenTelemetry's messaging conventions: a child of whoever queued the
 * job, and linked to the attempt before it. Where a span of the same trace is active already, such as of the queue's own
 * instrumentation, it is a child of that one. Without an SDK nothing is recorded, and it costs next to nothing.
 */
export function openTelemetry({ tracer = trace.getTracer('@jobwarden/worker'), relation = 'child' }: OpenTelemetryOptions = {}): Tracing {
  return { begin: (of) => new OpenSpan(tracer, relation, of) };
}

class OpenSpan implements AttemptSpan {
  private readonly span: Span;
  private readonly inside: Context;
  /** What it is a child of, or linked to. */
  private readonly known = new Set<string>();

  constructor(tracer: Tracer, relation: 'child' | 'link', of: SpanOf) {
    const around = trace.getSpanContext(context.active());
    // Without an SDK there may be one of zeros.
    const active = around !== undefined && isSpanContextValid(around) ? around : undefined;
    const producer = spanContextOf(of.trace?.traceparent, of.trace?.tracestate);
    const parent = parentOf(relation, producer, active);
    if (parent !== undefined) this.known.add(parent.spanId);
    const links = [...(relation === 'link' || active === undefined ? [] : this.linksTo([active])), ...this.linksTo([producer, spanContextOf(of.trace?.previous)])];
    const outside = parent === undefined ? trace.deleteSpan(context.active()) : trace.setSpanContext(context.active(), parent);
    this.span = tracer.startSpan(`process ${of.queue}`, { kind: SpanKind.CONSUMER, attributes: attributesOf(of), links }, outside);
    this.inside = trace.setSpan(outside, this.span);
  }

  get trace() {
    return traceOfSpan(this.span.spanContext()) ?? undefined;
  }

  granted({ attempt, kind, trace: told }: Pick<SpanOf, 'attempt' | 'kind' | 'trace'>): void {
    this.span.setAttributes({ 'jobwarden.attempt': attempt, ...(kind !== undefined && { 'jobwarden.kind': kind }) });
    for (const link of this.linksTo([spanContextOf(told?.traceparent, told?.tracestate), spanContextOf(told?.previous)])) this.span.addLink(link);
  }

  within<T>(work: () => Promise<T>): Promise<T> {
    return context.with(this.inside, work);
  }

  end(end: SpanEnd): void {
    settle(this.span, end);
    this.span.end();
  }

  private linksTo(contexts: readonly (SpanContext | undefined)[]): Link[] {
    return contexts.flatMap((of) => {
      if (of === undefined || this.known.has(of.spanId)) return [];
      this.known.add(of.spanId);
      return [{ context: of }];
    });
  }
}

/** What runs here already is the parent only within the job's own trace, or where the job has none: else the trace would end at the queue. */
function parentOf(relation: 'child' | 'link', producer: SpanContext | undefined, active: SpanContext | undefined): SpanContext | undefined {
  if (relation === 'link') return undefined;
  if (producer === undefined) return active;
  return active?.traceId === producer.traceId ? active : producer;
}

function attributesOf({ queue, id, attempt, kind, worker }: SpanOf): Attributes {
  return {
    'messaging.system': 'jobwarden',
    'messaging.operation.type': 'process',
    'messaging.operation.name': 'process',
    'messaging.destination.name': queue,
    'messaging.message.id': id,
    'jobwarden.attempt': attempt,
    'jobwarden.worker': worker,
    ...(kind !== undefined && { 'jobwarden.kind': kind }),
  };
}

/** By hand, since the rules hold whatever propagator the program has set, and where it has none. */
function spanContextOf(traceparent: string | undefined, tracestate?: string): SpanContext | undefined {
  const read = readTrace(traceparent, tracestate);
  if (read === null) return undefined;
  const [, traceId = '', spanId = '', flags = ''] = read.traceparent.split('-');
  const state = read.tracestate === undefined ? {} : { traceState: ReadTraceState.of(read.tracestate) };
  return { traceId, spanId, traceFlags: Number.parseInt(flags, 16), isRemote: true, ...state };
}

function settle(span: Span, { outcome, error, reason }: SpanEnd): void {
  span.setAttribute('jobwarden.outcome', outcome);
  if (reason !== undefined) span.setAttribute('jobwarden.reason', reason);
  if (outcome !== 'failed') return;
  const { name, message } = error instanceof Error ? error : new Error(String(error));
  span.recordException({ name, message });
  span.setAttribute('error.type', name);
  span.setStatus({ code: SpanStatusCode.ERROR, message });
}
