import { Type } from 'typebox';
import { DEFAULT_NAMESPACE, type JobRef } from '#libs/domain';
import { isObject } from '../json.js';
import { bytesOver, type Limits } from '../limits.js';
import { envelopeFields } from '../schemas/envelope.js';
import { attempt, queue, token } from '../schemas/field.js';
import type { Redactor } from '../redaction/redactor.js';
import { jsonTree } from '../source/json-tree.js';
import { QUARANTINE_REASON } from '../vocabulary.js';
import type { ParseContext } from './context.js';
import type { EventType } from './event-types.js';
import { eventText, type EventText } from './event-text.js';
import { explain } from './explain.js';
import type { Fault } from './fault.js';
import type { Unparsed } from './parsed-event.js';
import { isStorable } from './storable.js';

/** Events about a worker: of which version, and what else they may say, is open. */
const WORKER_TYPES = 'jobwarden.worker.';

/** What redaction leaves alone in an event whose type says nothing about its data. */
const ANY_EVENT = Type.Object({
  ...envelopeFields,
  data: Type.Object({ queue, attempt: Type.Optional(attempt), token: Type.Optional(token) }),
});

export interface Found {
  readonly context: ParseContext;
  /** What the event was read from, where that is known. */
  readonly text?: EventText | undefined;
  /** The fault, where a check after the schema found it. */
  readonly found?: Fault;
}

/** What becomes of an event that is not taken. */
export function unparsed(input: unknown, type: EventType | undefined, { context, text, found }: Found): Unparsed {
  const { reason, detail } = found ?? explain(input, type);
  const { redactor, transport, limits } = context;
  const refused = reason === QUARANTINE_REASON.decision_from_outside && transport === 'http';
  const { bytes, cut } = keptBytes(input, type?.schema ?? ANY_EVENT, redactor, text);
  const refs = refsOf(input, limits);
  return {
    ok: false,
    disposition: refused ? 'refused' : 'quarantined',
    reason,
    detail: shortened(redactor.active ? redactor.text(detail).text : detail),
    ...(refs[0] !== undefined && { ref: refs[0] }),
    refs,
    ...named(input, 'source', limits.sourceBytes),
    ...named(input, 'id', limits.eventIdBytes),
    ...named(input, 'type', limits.fieldBytes),
    bytes,
    redacted: cut,
  };
}

/** As sent, where no rule touches it: what is taken in from quarantine later has the bodies that were sent. */
function keptBytes(input: unknown, schema: object, redactor: Redactor, source: EventText | undefined): { bytes: Uint8Array; cut: readonly string[] } {
  const sent = source === undefined ? undefined : eventText(input, source);
  if (sent !== undefined && isUntouched(sent, schema, redactor)) return { bytes: Buffer.from(sent, 'utf8'), cut: [] };
  const { value, cut } = redactor.active ? redactor.event(input, schema) : { value: input, cut: [] };
  return { bytes: bytesOf(value), cut };
}

/** Also what only the text says, such as the first of two members of one name. */
function isUntouched(text: string, schema: object, redactor: Redactor): boolean {
  if (!redactor.active) return true;
  const { value } = jsonTree(text, { repeated: 'all' }).root;
  return redactor.event(value, schema).value === value;
}

/** A detail may name a key of the emitter's, and keys can be as long as the body. */
function shortened(detail: string): string {
  return detail.length > 1_000 ? `${detail.slice(0, 1_000).toWellFormed()}…` : detail;
}

/**
 * The jobs that it names, as far as they can exist: its subject's, and those of a list of jobs as a worker's heartbeat
 * has one. The type is not asked, since a type of a later version may list jobs too; only a worker's subject is no job.
 */
function refsOf(input: unknown, limits: Limits): readonly JobRef[] {
  if (!isObject(input) || !isObject(input['data'])) return [];
  const { data, type } = input as { data: Record<string, unknown>; type?: unknown };
  const namespace = input['namespace'] ?? DEFAULT_NAMESPACE;
  const ofWorker = typeof type === 'string' && type.startsWith(WORKER_TYPES);
  const own = ofWorker ? [] : refOf(namespace, data['queue'], input['subject'], limits);
  if (!Array.isArray(data['jobs'])) return own;
  const listed = data['jobs'].flatMap((job) => (isObject(job) ? refOf(namespace, job['queue'], job['id'], limits) : []));
  return [...own, ...listed];
}

function refOf(namespace: unknown, queueName: unknown, id: unknown, limits: Limits): readonly JobRef[] {
  if (!isName(namespace, limits.namespaceBytes) || !isName(queueName, limits.queueBytes)) return [];
  return isName(id, limits.jobIdBytes) ? [{ namespace, queue: queueName, id }] : [];
}

function isName(value: unknown, limit: number): value is string {
  return typeof value === 'string' && value !== '' && isStorable(value) && bytesOver(value, limit) === undefined;
}

function named<K extends 'source' | 'id' | 'type'>(input: unknown, key: K, limit: number): Partial<Record<K, string>> {
  const value = isObject(input) ? input[key] : undefined;
  return isName(value, limit) ? ({ [key]: value } as Partial<Record<K, string>>) : {};
}

function bytesOf(value: unknown): Uint8Array {
  try {
    // `undefined` has no JSON text.
    return Buffer.from((JSON.stringify(value) as string | undefined) ?? 'null', 'utf8');
  } catch {
    // Nested so deep that the stack ends: no transport of ours lets it come this far.
    return Buffer.from('"[nested too deep]"', 'utf8');
  }
}
