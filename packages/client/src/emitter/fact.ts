import { randomUUID } from 'node:crypto';
import type { CloudEvent, FactData, FactType, QueueStateData, WorkerHeartbeatData } from '../contract.js';
import { activeTrace } from '../trace/active-trace.js';
import type { TraceContext } from '../trace/trace-context.js';

interface Common {
  /** When it happened. Default: now, as it is told; sending may come much later. */
  readonly time?: Date;
  /** Unique with the source within a job; a repeat is a duplicate and changes nothing. Default: a random one. */
  readonly id?: string;
  /** Who says it. Default: the emitter's. */
  readonly source?: string;
  /** W3C trace context. Default for `queued`: that of the span that is active; else none. */
  readonly traceparent?: string;
  /** Goes with `traceparent`. */
  readonly tracestate?: string;
}

/** What is known of a job, without what every event of an emitter has in common. */
export type JobFact = {
  readonly [K in FactType]: Common & {
    readonly type: K;
    readonly queue: string;
    readonly jobId: string;
  } & (Record<string, never> extends FactData[K] ? { readonly data?: FactData[K] } : { readonly data: FactData[K] });
}[FactType];

/** One beat for everything that a worker holds. */
export interface WorkerHeartbeat extends Common {
  readonly type: 'worker-heartbeat';
  readonly data: WorkerHeartbeatData;
}

/** What the native queue says of itself. */
export interface QueueState extends Common {
  readonly type: 'queue-state';
  readonly queue: string;
  readonly data: QueueStateData;
}

export type Fact = JobFact | WorkerHeartbeat | QueueState;

/** As it is sent. */
export interface OutgoingEvent {
  /** Keeps together what must keep its order: `namespace/queue/id` of a job. */
  readonly key: string;
  /** The CloudEvent as JSON text. */
  readonly text: string;
  readonly id: string;
  readonly type: string;
}

export interface EmitterIdentity {
  readonly source: string;
  readonly namespace: string;
}

/** The event that says it; times and ids are taken now. */
export function eventOf(fact: Fact, { source, namespace }: EmitterIdentity): CloudEvent<object> {
  return {
    specversion: '1.0',
    id: fact.id ?? randomUUID(),
    source: fact.source ?? source,
    ...named(fact),
    time: (fact.time ?? new Date()).toISOString(),
    ...traceOf(fact),
    ...(namespace !== 'default' && { namespace }),
  };
}

function traceOf({ type, traceparent, tracestate }: Fact): TraceContext | null {
  if (traceparent === undefined) return type === 'queued' ? activeTrace() : null;
  return { traceparent, ...(tracestate !== undefined && { tracestate }) };
}

function named(fact: Fact): Pick<CloudEvent<object>, 'subject' | 'type' | 'data'> {
  switch (fact.type) {
    case 'worker-heartbeat':
      return { subject: fact.data.worker.id, type: 'jobwarden.worker.heartbeat.v1', data: fact.data };
    case 'queue-state':
      return { subject: fact.queue, type: 'jobwarden.queue.state.v1', data: fact.data };
    default:
      return { subject: fact.jobId, type: `jobwarden.job.${fact.type}.v1`, data: { queue: fact.queue, ...fact.data } };
  }
}

/** As the service keys what it sends itself. */
export function keyOf(fact: Fact, namespace: string): string {
  switch (fact.type) {
    case 'worker-heartbeat':
      return `${namespace}/${fact.data.worker.id}`;
    case 'queue-state':
      return `${namespace}/${fact.queue}`;
    default:
      return `${namespace}/${fact.queue}/${fact.jobId}`;
  }
}

/** What a newer one makes useless: of the heartbeats of one attempt, or of one worker, only the last says anything. */
export function replacedBy(fact: Fact, namespace: string): string | null {
  switch (fact.type) {
    case 'heartbeat':
      return `${keyOf(fact, namespace)}/${String(fact.data?.attempt ?? 1)}`;
    case 'worker-heartbeat':
      return `worker/${keyOf(fact, namespace)}/${fact.data.worker.incarnation ?? ''}`;
    case 'queue-state':
      return `state/${keyOf(fact, namespace)}`;
    default:
      return null;
  }
}
