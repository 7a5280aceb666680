import type { TSchema } from 'typebox';
import { Compile } from 'typebox/compile';
import { FACT_EVENTS } from '../schemas/facts.js';
import { QueueStateEvent, WorkerHeartbeatEvent } from '../schemas/reports.js';
import {
  FACT_KINDS,
  QUEUE_STATE_TYPE,
  WORKER_HEARTBEAT_TYPE,
  jobEventType,
  type FactKind,
} from '../vocabulary.js';
import type { JsonObject } from '../json.js';

/** What comes in from outside, by type, with a compiled validator of the whole event. */
export interface EventType {
  readonly type: string;
  readonly kind: FactKind | 'worker-heartbeat' | 'queue-state';
  readonly schema: TSchema;
  readonly check: (event: unknown) => event is WireEvent;
  readonly errors: (event: unknown) => readonly SchemaError[];
}

export interface SchemaError {
  /** JSON pointer. */
  readonly instancePath: string;
  readonly keyword: string;
  readonly params: Readonly<Record<string, unknown>>;
  readonly message: string;
}

/** An event that has passed its schema. */
export interface WireEvent extends JsonObject {
  readonly id: string;
  readonly source: string;
  readonly subject: string;
  readonly type: string;
  readonly time?: string;
  readonly traceparent?: string;
  readonly tracestate?: string;
  readonly namespace?: string;
  readonly data: JsonObject;
}

function eventType(type: string, kind: EventType['kind'], schema: TSchema): EventType {
  const validator = Compile(withoutFormats(schema) as TSchema);
  return {
    type,
    kind,
    schema,
    check: (event): event is WireEvent => validator.Check(event),
    errors: (event) => validator.Errors(event),
  };
}

/** Times are parsed right after the check, which tells more than a format's yes or no and takes half as long. */
function withoutFormats(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(withoutFormats);
  if (typeof schema !== 'object' || schema === null) return schema;
  return Object.fromEntries(
    Object.entries(schema)
      .filter(([key, value]) => key !== 'format' || typeof value !== 'string')
      .map(([key, value]) => [key, withoutFormats(value)]),
  );
}

export const EVENT_TYPES: ReadonlyMap<string, EventType> = new Map(
  [
    ...FACT_KINDS.map((kind) => eventType(jobEventType(kind), kind, FACT_EVENTS[kind])),
    eventType(WORKER_HEARTBEAT_TYPE, 'worker-heartbeat', WorkerHeartbeatEvent),
    eventType(QUEUE_STATE_TYPE, 'queue-state', QueueStateEvent),
  ].map((entry) => [entry.type, entry] as const),
);
