import { createHash } from 'node:crypto';
import type { HistoryLine } from './history.js';
import type { Mapping, OutcomeWord, TimeUnit } from './mapping.js';

export type EventKind = 'queued' | 'started' | 'succeeded' | 'failed';

/** An event and its place in the order of sending. */
export interface TimedEvent {
  readonly line: number;
  readonly kind: EventKind;
  /** When it is sent, ms: its own time, but an end never before its start. */
  readonly atMs: number;
  readonly event: Readonly<Record<string, unknown>>;
}

export type LineEvents =
  | { readonly ok: true; readonly events: readonly TimedEvent[]; readonly outcome: string }
  | { readonly ok: false; readonly fault: string };

const PER_UNIT: Record<Exclude<TimeUnit, 'iso'>, number> = { s: 1_000, ms: 1, us: 0.001 };
/** Years that a timestamp can be written for. */
const FIRST_MS = Date.parse('0001-01-01T00:00:00Z');
const LAST_MS = Date.UTC(9999, 11, 31);
/** Longest duration that the service takes; beyond it the times alone speak. */
const LONGEST_MS = 400 * 86_400_000;

/** The events of one line. Ids come from the job alone, so the same history sent twice is a history sent once. */
export function eventsOfLine(line: HistoryLine, mapping: Mapping): LineEvents {
  const faults: string[] = [];
  const id = line.value(mapping.id);
  const queue = named(line, mapping.queue, mapping.queueDefault);
  if (id === '') faults.push(`column ${mapping.id} (job id) is empty`);
  if (queue === '') faults.push(`column ${String(mapping.queue)} (queue) is empty; queueDefault would name one`);
  const attempt = attemptOf(line, mapping, faults);
  const queuedMs = timeOf(line, mapping.queued, mapping, faults);
  const startedMs = timeOf(line, mapping.started, mapping, faults);
  const outcome = outcomeOf(line, mapping);
  const endedMs = outcome === 'none' ? null : timeOf(line, mapping.ended, mapping, faults);
  if (outcome !== 'none' && endedMs === null && faults.length === 0)
    faults.push(`it ${outcome}, but has no time of the end`);
  if (queuedMs === null && startedMs === null && endedMs === null && faults.length === 0)
    faults.push('it has no time at all');
  if (faults.length > 0) return { ok: false, fault: faults.join('; ') };

  const make = { line: line.line, id, queue, attempt, mapping };
  const events: TimedEvent[] = [];
  if (queuedMs !== null) events.push(timed(make, 'queued', queuedMs, kindData(line, mapping)));
  const worker = { id: named(line, mapping.worker, mapping.workerDefault) };
  if (startedMs !== null) events.push(timed(make, 'started', startedMs, { worker }));
  if (outcome !== 'none' && endedMs !== null) {
    const data = {
      ...(startedMs !== null && { worker, ...durationOf(startedMs, endedMs) }),
      ...(outcome === 'failed' && failure(line, mapping)),
    };
    events.push({ ...timed(make, outcome, endedMs, data), atMs: Math.max(endedMs, startedMs ?? endedMs) });
  }
  return { ok: true, events, outcome: mapping.outcome === null ? outcome : line.value(mapping.outcome) };
}

interface Making {
  readonly line: number;
  readonly id: string;
  readonly queue: string;
  readonly attempt: number;
  readonly mapping: Mapping;
}

function timed({ line, id, queue, attempt, mapping }: Making, kind: EventKind, atMs: number, data: object): TimedEvent {
  const ofAttempt = kind === 'queued' ? {} : { attempt };
  const event = {
    specversion: '1.0',
    id: eventId(id, kind === 'queued' ? 'queued' : `${kind === 'started' ? 'started' : 'ended'}/${attempt}`),
    source: mapping.source,
    subject: id,
    type: `jobwarden.job.${kind}.v1`,
    time: new Date(atMs).toISOString(),
    ...(mapping.namespace !== null && { namespace: mapping.namespace }),
    data: { queue, ...ofAttempt, ...data },
  };
  return { line, kind, atMs, event };
}

/** The job's id is in it to be found again; a long one only by its hash, as event ids have a limit of their own. */
function eventId(jobId: string, suffix: string): string {
  const name = Buffer.byteLength(jobId, 'utf8') <= 900 ? jobId : createHash('sha256').update(jobId).digest('hex');
  return `${name}/${suffix}`;
}

function named(line: HistoryLine, column: string | null, otherwise: string | null): string {
  const value = column === null ? '' : line.value(column);
  return value === '' ? (otherwise ?? '') : value;
}

function kindData(line: HistoryLine, mapping: Mapping): { readonly kind?: string } {
  const kind = named(line, mapping.kind, mapping.kindDefault);
  return kind === '' ? {} : { kind };
}

function attemptOf(line: HistoryLine, { attempt }: Mapping, faults: string[]): number {
  const text = attempt === null ? '1' : line.value(attempt);
  const number = Number(text);
  if (/^\d{1,10}$/u.test(text) && number >= 1) return number;
  faults.push(`column ${String(attempt)} (attempt) is "${text}", not a number from 1`);
  return 1;
}

/** null: the columns are empty, or none is mapped. */
function timeOf(line: HistoryLine, columns: readonly string[], mapping: Mapping, faults: string[]): number | null {
  const values = columns.map((column) => line.value(column));
  if (values.length === 0 || values.some((v) => v === '')) return null;
  const ms = mapping.unit === 'iso' ? Date.parse(values[0] ?? '') : numericMs(values, mapping.unit, mapping.originMs);
  if (Number.isFinite(ms) && ms >= FIRST_MS && ms <= LAST_MS) return ms;
  const shown = columns.map((column, i) => `${column} "${String(values[i])}"`).join(' + ');
  faults.push(`${shown} is no time (unit ${mapping.unit})`);
  return null;
}

function numericMs(values: readonly string[], unit: Exclude<TimeUnit, 'iso'>, originMs: number): number {
  const sum = values.reduce(
    (total, value) => total + (/^[-+]?\d+(\.\d+)?(e[-+]?\d+)?$/iu.test(value) ? Number(value) : Number.NaN),
    0,
  );
  return Math.round(originMs + sum * PER_UNIT[unit]);
}

function outcomeOf(line: HistoryLine, mapping: Mapping): OutcomeWord {
  if (mapping.ended.length === 0) return 'none';
  const value = mapping.outcome === null ? '' : line.value(mapping.outcome);
  if (value === '') return mapping.outcomeDefault;
  if (mapping.succeeded.includes(value)) return 'succeeded';
  return mapping.failed.includes(value) ? 'failed' : 'none';
}

/** The history knows how long it ran; the service would otherwise take the time between two of our requests. */
function durationOf(startedMs: number, endedMs: number): { readonly durationMs?: number } {
  const durationMs = endedMs - startedMs;
  return Math.abs(durationMs) <= LONGEST_MS ? { durationMs } : {};
}

function failure(line: HistoryLine, mapping: Mapping): object {
  const written = mapping.outcome === null ? '' : line.value(mapping.outcome);
  const errorClass = named(line, mapping.errorClass, null) || written || 'Failed';
  const message = named(line, mapping.errorMessage, null) || `the history says ${written === '' ? 'failed' : written}`;
  return { error: { class: errorClass, message }, ...(!mapping.retryable && { retryable: false }) };
}
