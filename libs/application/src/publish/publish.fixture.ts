import { foldJob, stateToJson, type DecisionDraft, type Fact, type JobEvent } from '#libs/domain';
import { encodeEvent } from '../log/event-record.js';
import type { OutgoingEntry } from '../ports/outbound-store.port.js';
import { intentOf, type DecodedEntry, type Intent } from './decoded-entry.js';

export const REF = { namespace: 'acme', queue: 'mail', id: 'job/1' };

export function queued(fields: Partial<Extract<Fact, { type: 'queued' }>> = {}): JobEvent {
  return { kind: 'fact', fact: { type: 'queued', source: 's', id: 'q', laneMs: 1_000, ...fields } };
}

export function started(attempt: number, worker: string, traceparent?: string): JobEvent {
  return {
    kind: 'fact',
    fact: { type: 'started', source: 's', id: `s${String(attempt)}`, laneMs: 2_000, attempt, worker: { id: worker }, ...(traceparent !== undefined && { traceparent }) },
  };
}

export function decision(n: number, draft: DecisionDraft): JobEvent {
  return { kind: 'decision', decision: { ...draft, n, laneMs: 5_000 + n } };
}

/** The last of these events as an entry that goes out, with the fold of all as its row. */
export function entryOf(...events: readonly JobEvent[]): DecodedEntry {
  const last = events.at(-1);
  if (last === undefined) throw new Error('an entry needs an event');
  const record = encodeEvent(last, null);
  const entry: OutgoingEntry = {
    position: { shard: 3, number: 42 },
    ref: REF,
    keyHex: '00'.repeat(16),
    queueId: 1,
    period: 1,
    ...record,
    state: stateToJson(foldJob(events)),
  };
  return { entry, event: last, state: foldJob(events) };
}

export function intent(...events: readonly JobEvent[]): Intent {
  const found = intentOf(entryOf(...events));
  if (found === null) throw new Error('nothing goes out for it');
  return found;
}

export function parsed(message: string): Record<string, unknown> & { data: Record<string, unknown> } {
  return JSON.parse(message) as Record<string, unknown> & { data: Record<string, unknown> };
}
