import { storedFact } from '#libs/contracts';
import {
  decisionCode,
  decisionEventId,
  eventTypeOf,
  factCode,
  type Decision,
  type Fact,
  type JobEvent,
} from '#libs/domain';
import { TerminalError } from '../ports/errors.js';

/** Of a path, which may name keys of any length. */
const PATH_CHARS = 300;

/**
 * One log entry as it is stored.
 *
 * A fact keeps the emitter's data as the contract read it (`d`), and beside it what intake recorded: the emitter's
 * time (`t`) and trace context (`p`, `s`), the epoch (`e`), that the queue grants attempts itself (`o`), the claim that redeemed it (`c`), where
 * redaction has cut something out (`x`). A decision is the domain's own, evidence included. What intake recorded is what every later fold reads.
 */
export interface EventRecord {
  readonly type: number;
  readonly n: number | null;
  readonly source: string;
  readonly id: string;
  readonly laneMs: number;
  readonly data: string;
}

/** `data`: the fact's contract data as JSON text; it and `redacted` are not used for decisions. */
export function encodeEvent(event: JobEvent, data: string | null, redacted?: readonly string[]): EventRecord {
  if (event.kind === 'decision') {
    const { n, laneMs, kind, ...rest } = event.decision;
    return { type: decisionCode(kind), n, ...decisionEventId(event.decision), laneMs, data: JSON.stringify(rest) };
  }
  const { fact } = event;
  return {
    type: factCode(fact.type),
    n: null,
    source: fact.source,
    id: fact.id,
    laneMs: fact.laneMs,
    data: `{"d":${data ?? '{}'}${recorded(fact)}${redacted === undefined ? '' : `,"x":${JSON.stringify(redacted.map(storablePath))}`}}`,
  };
}

/** A name in it may hold anything. */
function storablePath(path: string): string {
  return path.slice(0, PATH_CHARS).toWellFormed().replaceAll(/\p{Cc}/gu, '\ufffd');
}

/** What stands beside the emitter's data, as the tail of a JSON object. Written by hand: this is the hot path. */
function recorded(fact: Fact): string {
  let tail = '';
  if (fact.timeMs !== undefined) tail += `,"t":${String(fact.timeMs)}`;
  if (fact.epoch !== undefined) tail += `,"e":${String(fact.epoch)}`;
  if (fact.traceparent !== undefined) tail += `,"p":${JSON.stringify(fact.traceparent)}`;
  if (fact.tracestate !== undefined) tail += `,"s":${JSON.stringify(fact.tracestate)}`;
  if (fact.type !== 'queued' && fact.type !== 'cancelled') {
    if (fact.ownerQueue === true) tail += ',"o":true';
    const claimId = fact.type === 'started' || fact.type === 'claimed' ? fact.claimId : undefined;
    if (claimId !== undefined) tail += `,"c":${JSON.stringify(claimId)}`;
  }
  return tail;
}

interface StoredFactEntry {
  readonly d: Record<string, unknown>;
  readonly t?: number;
  readonly e?: number;
  readonly p?: string;
  readonly s?: string;
  readonly o?: boolean;
  readonly c?: string;
}

/** Throws TerminalError `newer_log` for an entry that only a newer program can read. */
export function decodeEvent(record: EventRecord): JobEvent {
  const type = eventTypeOf(record.type);
  if (type === undefined) {
    throw new TerminalError('newer_log', `event type code ${String(record.type)} was written by a newer Jobwarden`);
  }
  if (type.kind === 'decision') {
    const data = JSON.parse(record.data) as Partial<Decision>;
    const decision = { ...data, kind: type.type, n: record.n ?? 0, laneMs: record.laneMs } as Decision;
    return { kind: 'decision', decision };
  }
  const entry = JSON.parse(record.data) as StoredFactEntry;
  const base = {
    source: record.source,
    id: record.id,
    ...(entry.t !== undefined && { timeMs: entry.t }),
    ...(entry.p !== undefined && { traceparent: entry.p }),
    ...(entry.s !== undefined && { tracestate: entry.s }),
  };
  const stamps = {
    laneMs: record.laneMs,
    ...(entry.e !== undefined && { epoch: entry.e }),
    ...(entry.o !== undefined && { ownerQueue: entry.o }),
    ...(entry.c !== undefined && { claimId: entry.c }),
  };
  return { kind: 'fact', fact: storedFact(type.type, entry.d, base, stamps) };
}

/** The emitter's data of a stored fact, or the decision's fields: what a timeline shows. */
export function shownData(record: EventRecord): Record<string, unknown> {
  const data = JSON.parse(record.data) as Record<string, unknown>;
  const type = eventTypeOf(record.type);
  return type?.kind === 'fact' ? (data['d'] as Record<string, unknown>) : data;
}
