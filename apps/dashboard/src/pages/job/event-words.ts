import { events } from '../../text/events';
import { duration, visible } from '../../text/format';
import type { TimelineEvent } from './job-queries';

export interface EventWords {
  readonly text: string;
  /** What was said with it: a reason of a person, or of a worker. */
  readonly said?: string;
  /** Who decided, where it was not told by a worker. */
  readonly by?: string;
  readonly decision: boolean;
  readonly tone: 'ok' | 'busy' | 'warn' | 'bad' | 'calm';
}

type Data = Readonly<Record<string, unknown>>;

const FACTS: ReadonlySet<string> = new Set(['queued', 'claimed', 'started', 'heartbeat', 'released', 'lease-renewal-failed', 'succeeded', 'failed']);
const { fact, decision } = events;

/** Its short name: `jobwarden.job.restart-requested.v1` → `restart-requested`. */
export const kindOf = (type: string): string => /^jobwarden\.job\.(.+)\.v\d+$/.exec(type)?.[1] ?? type;

/** An event of the job's stream as a sentence, whatever it holds. */
export function wordsOf({ type, data }: Pick<TimelineEvent, 'type' | 'data'>): EventWords {
  const kind = kindOf(type);
  return FACTS.has(kind) || (kind === 'cancelled' && typeof data['n'] !== 'number') ? factWords(kind, data) : decisionWords(kind, data);
}

function factWords(kind: string, data: Data): EventWords {
  const attempt = numberText(data['attempt'], '1');
  const who = textOf(record(data['worker'])['id']) ?? events.somebody;
  const said = textOf(data['reason']);
  const with_ = { decision: false, ...(said !== null && { said }) };
  switch (kind) {
    case 'queued': {
      const as = textOf(data['kind']);
      return { ...with_, text: as === null ? fact.queued : fact.queuedAs(as), tone: 'calm' };
    }
    case 'claimed':
    case 'started':
    case 'heartbeat':
      return { ...with_, text: fact[kind](who, attempt), tone: 'busy' };
    case 'released':
    case 'lease-renewal-failed':
      return { ...with_, text: fact[kind](who, attempt), tone: 'warn' };
    case 'succeeded': {
      const ms = data['durationMs'];
      return { ...with_, text: fact.succeeded(attempt, typeof ms === 'number' ? duration(ms) : null), tone: 'ok' };
    }
    case 'failed': {
      const error = record(data['error']);
      const text = `${textOf(error['class']) ?? ''}: ${textOf(error['message']) ?? ''}`;
      return { ...with_, text: data['retryable'] === false ? fact.failedForGood(attempt, text) : fact.failed(attempt, text), tone: 'bad' };
    }
    case 'cancelled':
      return { ...with_, text: fact.cancelled, tone: 'calm' };
    default:
      return { ...with_, text: fact.other(visible(kind)), tone: 'calm' };
  }
}

function decisionWords(kind: string, data: Data): EventWords {
  const attempt = numberText(data['attempt'], '');
  const by = textOf(data['by']) ?? '';
  const reason = textOf(data['reason']) ?? '';
  const byPerson = by !== '' && by !== 'jobwarden';
  return {
    ...decided(kind, { attempt, reason, byPerson, evidence: record(data['evidence']) }),
    by: byPerson ? by : events.jobwarden,
    decision: true,
    // Of Jobwarden's own it is a stable word that the sentence says already.
    ...(byPerson && reason !== '' && { said: reason }),
  };
}

interface Told {
  readonly attempt: string;
  readonly reason: string;
  readonly byPerson: boolean;
  readonly evidence: Data;
}

function decided(kind: string, { attempt, reason, byPerson, evidence }: Told): Pick<EventWords, 'text' | 'tone'> {
  switch (kind) {
    case 'restart-requested':
      if (byPerson || (reason !== 'lost' && reason !== 'hung')) return { text: decision.restartAsked(attempt), tone: 'warn' };
      return { text: decision[reason](attempt, lengthOf(record(evidence['threshold'])['ms'])), tone: 'warn' };
    case 'restart-withdrawn':
      return { text: reason === 'newer_attempt' ? decision.withdrawnNewer : decision.withdrawnBeat(attempt), tone: 'ok' };
    case 'requeued':
      return { text: (isKey(decision.requeued, reason) && !byPerson ? decision.requeued[reason] : decision.requeued.other)(attempt), tone: 'busy' };
    case 'retry-scheduled':
      return { text: decision.retryScheduled(attempt, lengthOf(evidence['delayMs'])), tone: 'warn' };
    case 'held-incomplete':
      return { text: evidence['missing'] === 'payload' ? decision.heldPayload : decision.heldQueued, tone: 'warn' };
    case 'dead-lettered':
      return { text: deadText(attempt, reason, evidence), tone: 'bad' };
    case 'write-refused':
      return { text: (isKey(decision.writeRefused, reason) ? decision.writeRefused[reason] : decision.writeRefused.other)(attempt), tone: 'warn' };
    case 'republished':
      return { text: decision.republished(attempt), tone: 'busy' };
    case 'stop-requested':
      return { text: decision.stopRequested(attempt), tone: 'calm' };
    case 'redriven':
      return { text: decision.redriven, tone: 'busy' };
    case 'patched':
      return { text: decision.patched, tone: 'busy' };
    case 'limits-changed':
      return { text: decision.limitsChanged, tone: 'calm' };
    case 'payload-erased':
      return { text: decision.payloadErased, tone: 'warn' };
    case 'invalidation-requested':
      return { text: decision.invalidationRequested, tone: 'calm' };
    case 'cancelled':
    case 'discarded':
      return { text: decision[kind], tone: 'calm' };
    case 'resolved-by-hand':
      return { text: decision[kind], tone: 'ok' };
    default:
      return { text: decision.other(visible(kind)), tone: 'calm' };
  }
}

function deadText(attempt: string, reason: string, evidence: Data): string {
  if (reason === 'poison_pill') {
    const owners = Array.isArray(evidence['owners']) ? evidence['owners'].flatMap(workersOf) : [];
    return decision.deadPoison(owners.length === 0 ? events.somebody : [...new Set(owners)].join(', '));
  }
  const { retriesUsed, maxRetries } = evidence;
  if (typeof retriesUsed === 'number' && typeof maxRetries === 'number' && maxRetries > 0 && retriesUsed >= maxRetries) {
    return decision.deadUsedUp(attempt, String(maxRetries));
  }
  return reason === 'failed' ? decision.deadFailed(attempt) : decision.dead(attempt);
}

function workersOf(owner: unknown): readonly string[] {
  const { workers } = record(owner);
  return Array.isArray(workers) ? workers.flatMap((worker) => textOf(record(worker)['id']) ?? []) : [];
}

const numberText = (value: unknown, missing: string): string => (typeof value === 'number' ? String(value) : missing);
const lengthOf = (ms: unknown): string | null => (typeof ms === 'number' ? duration(ms) : null);
const textOf = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? visible(value) : null);
const record = (value: unknown): Data => (typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Data) : {});

function isKey<T extends object>(words: T, key: string): key is string & keyof T {
  return Object.hasOwn(words, key);
}
