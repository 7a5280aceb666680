import type { JobRef } from '#libs/domain';
import { DEFAULT_NAMESPACE } from '#libs/domain';
import type { QueueStateData, WorkerHeartbeatData } from '../schemas/reports.js';
import type { JsonObject } from '../json.js';
import { QUARANTINE_REASON, RESERVED_SOURCE } from '../vocabulary.js';
import { splitBodies } from './bodies.js';
import { canonicalJson } from './canonical.js';
import type { ParseContext } from './context.js';
import { bodyMember, bodyText, type EventText } from './event-text.js';
import { EVENT_TYPES, type EventType, type WireEvent } from './event-types.js';
import { reservedSource } from './explain.js';
import { extensionsFault, extensionsOf } from './extensions.js';
import { wireFact, wireHeartbeat, workerOf, type FactBase } from './fact.js';
import { schemaFault, type Fault } from './fault.js';
import type { ParsedEvent, ReadEvent } from './parsed-event.js';
import { redactEvent, type BodySource } from './redact-event.js';
import { parseRfc3339 } from './rfc3339.js';
import { sizeFault } from './size-limits.js';
import { isStorable, isSuspicious, storableFault } from './storable.js';
import { withKeptTrace } from './trace-attributes.js';
import { unparsed } from './unparsed.js';

/**
 * Reads one event: the one way in, for every transport and for replays. Pure, never throws on what `JSON.parse` gives,
 * and says of each event either what it means or what becomes of it.
 *
 * Order of the checks: schema, limits, storable, redaction. The content hash is taken before redaction, so that two
 * events that differ only in what is cut are not taken for one. With the `text` that the event was read from its bodies
 * are kept as they stand there; the hash is of what they mean, so that other white space makes no other event.
 */
export function parseEvent(sent: unknown, context: ParseContext, text?: EventText): ParsedEvent {
  const input = withKeptTrace(sent);
  const type = EVENT_TYPES.get((input as { type?: unknown } | null | undefined)?.type as string);
  if (!type?.check(input)) return unparsed(input, type, { context, text });
  const read = readEvent(input, type, context, text);
  return 'reason' in read ? unparsed(input, type, { context, text, found: read }) : read;
}

function readEvent(event: WireEvent, type: EventType, context: ParseContext, text: EventText | undefined): ReadEvent | Fault {
  const { limits, redactor } = context;
  const early = envelopeFault(event) ?? sizeFault(event, type.kind, limits);
  if (early !== undefined) return early;
  const times = timesOf(event);
  if ('reason' in times) return times;
  const canonical = canonicalOf(event.data, limits.nesting - 1, bodyMember(type.kind));
  if (typeof canonical !== 'string') return canonical;
  const extensions = extensionsOf(event);
  const late = extensions === undefined ? undefined : extensionsFault(extensions, limits);
  if (late !== undefined) return late;

  const { kept, cut, text: sent } = redactEvent(event, redactor, type.schema, sourceOf(event, type, text));
  const { data, bodies } = splitBodies(kept.data, type.kind, limits.textBytes, sent);
  const base: Common = {
    ok: true,
    namespace: event.namespace ?? DEFAULT_NAMESPACE,
    source: event.source,
    id: event.id,
    type: event.type,
    ...times,
    ...(kept.traceparent !== undefined && { traceparent: kept.traceparent }),
    ...(kept.tracestate !== undefined && { tracestate: kept.tracestate }),
    contentHash: context.contentHash(event.type, canonical),
    data: data === event.data ? canonical : textOf(data, limits.nesting),
    bodies,
    ...(extensions !== undefined && { extensions: kept === event ? extensions : (extensionsOf(kept) ?? {}) }),
    redacted: cut,
  };
  return meaning(base, type, event, data);
}

type Common = Omit<ReadEvent, 'kind'>;

function sourceOf(event: WireEvent, { kind }: EventType, source: EventText | undefined): BodySource | undefined {
  const member = bodyMember(kind);
  const text = bodyText(kind, event.data, source);
  return member === undefined || text === undefined ? undefined : { member, text };
}

/** `event` gives what names it, `data` what is kept of it. */
function meaning(common: Common, type: EventType, event: WireEvent, data: JsonObject): ReadEvent {
  const base: FactBase = common;
  switch (type.kind) {
    case 'worker-heartbeat': {
      const { worker, jobs, runtime } = data as WorkerHeartbeatData;
      const known = workerOf(worker);
      const beats = jobs.map((job) => ({
        ref: { namespace: common.namespace, queue: job.queue, id: job.id },
        heartbeat: wireHeartbeat({ ...job, worker: known }, base),
      }));
      const report = { ...common, kind: 'worker-heartbeat', workerId: event.subject, worker: known, beats } as const;
      return runtime === undefined ? report : { ...report, runtime };
    }
    case 'queue-state':
      return { ...common, kind: 'queue-state', queue: event.subject, state: queueStateOf(data) };
    case 'heartbeat':
      return { ...common, kind: 'heartbeat', ref: refOf(common, event), heartbeat: wireHeartbeat(data, base) };
    default:
      return { ...common, kind: 'fact', ref: refOf(common, event), fact: wireFact(type.kind, data, base) };
  }
}

/** Only the known fields, in whole ms. */
function queueStateOf({ waiting, oldestAgeMs, paused }: QueueStateData): QueueStateData {
  return {
    ...(waiting !== undefined && { waiting }),
    ...(oldestAgeMs !== undefined && { oldestAgeMs: Math.round(oldestAgeMs) }),
    ...(paused !== undefined && { paused }),
  };
}

function refOf(common: Common, event: WireEvent): JobRef {
  return { namespace: common.namespace, queue: event.data['queue'] as string, id: event.subject };
}

function envelopeFault(event: WireEvent): Fault | undefined {
  if (event.source === RESERVED_SOURCE) return reservedSource();
  const { id, source, subject, namespace } = event;
  if (isStorable(id) && isStorable(source) && isStorable(subject)) {
    if (namespace === undefined || isStorable(namespace)) return undefined;
  }
  return (
    storableFault(id, 'id') ??
    storableFault(source, 'source') ??
    storableFault(subject, 'subject') ??
    storableFault(namespace, 'namespace')
  );
}

function timesOf(event: WireEvent): { timeMs?: number } | Fault {
  const notBefore = event.data['notBefore'];
  if (typeof notBefore === 'string' && parseRfc3339(notBefore) === undefined) return noTime('data.notBefore');
  if (event.time === undefined) return {};
  const timeMs = parseRfc3339(event.time);
  return timeMs === undefined ? noTime('time') : { timeMs };
}

function noTime(path: string): Fault {
  return schemaFault(`${path} is no RFC 3339 time: send it as 2026-01-31T12:00:00Z`);
}

/** `body`: the member whose JSON text is kept as bytes, which hold a NUL or half a pair as the escapes that they came as. */
function canonicalOf(data: JsonObject, depth: number, body: string | undefined): string | Fault {
  const canonical = canonicalJson(data, depth);
  if ('fault' in canonical) {
    return canonical.fault === 'too_deep'
      ? {
          reason: QUARANTINE_REASON.too_large,
          detail: `data nests deeper than limits.nesting (${depth + 1}, the event included) allows: flatten it, or raise the limit`,
        }
      : {
          reason: QUARANTINE_REASON.unstorable,
          detail: 'data holds a number beyond ±1.8e308, which cannot be stored: send it as a string',
        };
  }
  if (isSuspicious(canonical.text)) {
    const fault = storableFault(body === undefined ? data : { ...data, [body]: null }, 'data');
    if (fault !== undefined) return fault;
  }
  return canonical.text;
}

/** Depth was checked before; a body's `{hash, bytes}` may be one level more. */
function textOf(data: JsonObject, depth: number): string {
  const canonical = canonicalJson(data, depth + 2);
  return 'text' in canonical ? canonical.text : JSON.stringify(data);
}
