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

/**
 * One log entry as it is stored. `data` is the domain's own event as JSON, without what stands in columns: what intake
 * recorded is what every later fold reads, whatever the contract's wording becomes. Unknown fields of the emitter's
 * data are kept under `extra`.
 */
export interface EventRecord {
  readonly type: number;
  readonly n: number | null;
  readonly source: string;
  readonly id: string;
  readonly laneMs: number;
  readonly data: string;
}

export function encodeEvent(event: JobEvent, extra?: Readonly<Record<string, unknown>>): EventRecord {
  if (event.kind === 'decision') {
    const { n, laneMs, kind, ...rest } = event.decision;
    return { type: decisionCode(kind), n, ...decisionEventId(event.decision), laneMs, data: JSON.stringify(rest) };
  }
  const { type, source, id, laneMs, ...rest } = event.fact;
  const data = extra === undefined ? rest : { ...rest, extra };
  return { type: factCode(type), n: null, source, id, laneMs, data: JSON.stringify(data) };
}

/** Throws TerminalError `newer_log` for an entry that only a newer program can read. */
export function decodeEvent(record: EventRecord): JobEvent {
  const type = eventTypeOf(record.type);
  if (type === undefined) {
    throw new TerminalError('newer_log', `event type code ${String(record.type)} was written by a newer Jobwarden`);
  }
  const data = JSON.parse(record.data) as Record<string, unknown>;
  if (type.kind === 'decision') {
    const decision = { ...data, kind: type.type, n: record.n ?? 0, laneMs: record.laneMs } as unknown as Decision;
    return { kind: 'decision', decision };
  }
  delete data['extra'];
  const { source, id, laneMs } = record;
  return { kind: 'fact', fact: { ...data, type: type.type, source, id, laneMs } as unknown as Fact };
}
