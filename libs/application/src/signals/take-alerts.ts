import { readAlerts, type AlertResult, type ReadAlert, type ReadAlerts } from '#libs/contracts';
import { DEFAULT_NAMESPACE, isDrill, SIGNAL_REFUSALS } from '#libs/domain';
import type { SignalRow, SignalStore, ToldSignal } from '../ports/signal-store.port.js';

export interface TakeAlertsParts {
  readonly store: Pick<SignalStore, 'tell' | 'queuesNamed'>;
  /** Of every alert, once per call. */
  readonly counted: (outcome: AlertResult['outcome'], count: number) => void;
  /** A row that is new, or was told to be over. */
  readonly told: (row: SignalRow, outcome: AlertResult['outcome']) => void;
  /** So many alerts were left out of a payload: nobody knows of them here. */
  readonly truncated: (count: number) => void;
}

export type TakenAlerts =
  | { readonly kind: 'taken'; readonly results: readonly AlertResult[] }
  /** As a whole; kept, under this id. */
  | { readonly kind: 'refused'; readonly code: string; readonly detail: string; readonly signalId: string };

type QueueName = { readonly namespace: string; readonly queue: string };

/**
 * Alertmanager's alerts as signals, at least once and from any number of senders. One look-up and one write, whatever
 * their number: it answers fast, and a payload is kept as a whole or not at all, when its sender repeats it.
 */
export class TakeAlerts {
  constructor(private readonly parts: TakeAlertsParts) {}

  /** `namespaces`: those that the sender may see. Throws RetryableError when the database is away. */
  async take(payload: unknown, namespaces: readonly string[] | 'all'): Promise<TakenAlerts> {
    const read = readAlerts(payload);
    if (read.kind === 'refused') return await this.refuse(read);
    if (read.truncated > 0) this.parts.truncated(read.truncated);
    const wanted = read.alerts.filter(({ ignored }) => !ignored);
    const names = [...new Set(wanted.flatMap(({ queue }) => queue ?? []))];
    const known = names.length === 0 ? [] : await this.parts.store.queuesNamed(names);
    const visible = known.filter(({ namespace }) => namespaces === 'all' || namespaces.includes(namespace));
    const told = await this.tell(merged(wanted.map((alert) => toldOf(alert, visible))));
    const results = read.alerts.map((alert) => resultOf(alert, told.get(alert.identity)));
    for (const [outcome, count] of tally(results)) this.parts.counted(outcome, count);
    return { kind: 'taken', results };
  }

  private async tell(signals: readonly ToldSignal[]): Promise<ReadonlyMap<string, AnsweredRow>> {
    const rows = await this.parts.store.tell(signals);
    const found = new Map<string, AnsweredRow>();
    for (const [i, signal] of signals.entries()) {
      const answer = rows[i];
      if (answer === undefined) throw new Error('a signal was not kept');
      const outcome = outcomeOf(signal, answer);
      if (answer.isNew || outcome === 'resolved') this.parts.told(answer.row, outcome);
      found.set(signal.identity, { row: answer.row, outcome });
    }
    return found;
  }

  private async refuse({ why, detail, identity }: Extract<ReadAlerts, { kind: 'refused' }>): Promise<TakenAlerts> {
    const refused = { why, detail };
    const nothing = { startsMs: null, namespace: null, queue: null, figures: {} };
    const told = await this.tell([{ ...nothing, identity, source: 'alertmanager', fingerprint: identity.slice(0, 16), firing: true, refused }]);
    this.parts.counted('refused', 1);
    return { kind: 'refused', code: why, detail, signalId: told.get(identity)?.row.id ?? '' };
  }
}

interface AnsweredRow {
  readonly row: SignalRow;
  readonly outcome: AlertResult['outcome'];
}

function toldOf(alert: ReadAlert, visible: readonly QueueName[]): ToldSignal {
  const { identity, fingerprint, startsMs, firing, figures, queue } = alert;
  const base = { identity, source: 'alertmanager', fingerprint, startsMs, firing, figures } as const;
  if (alert.refused !== null || queue === null) return { ...base, namespace: alert.namespace, queue, refused: alert.refused };
  const found = queueOf({ ...alert, queue }, alert.drill ? visible.filter(isDrill) : visible);
  if ('namespace' in found) return { ...base, ...found, refused: null };
  return { ...base, namespace: alert.namespace, queue, refused: found };
}

/** Metrics have no namespace: without the label it is the queue of `default`, else the only one of this name. */
function queueOf(
  { queue, namespace }: { readonly queue: string; readonly namespace: string | null },
  visible: readonly QueueName[],
): QueueName | NonNullable<ToldSignal['refused']> {
  const named = visible.filter((known) => known.queue === queue);
  const wanted = named.find((known) => known.namespace === (namespace ?? DEFAULT_NAMESPACE));
  if (wanted !== undefined) return wanted;
  const [only, ...others] = namespace === null ? named : [];
  if (only === undefined) {
    const where = namespace === null ? '' : ` of the namespace ${JSON.stringify(namespace)}`;
    return { why: 'queue_unknown', detail: `No event has named the queue ${JSON.stringify(queue)}${where}.` };
  }
  if (others.length === 0) return only;
  return { why: 'queue_ambiguous', detail: `${String(named.length)} namespaces have a queue of this name: give the alert the label jobwarden_namespace.` };
}

/** Of one alert that is in a payload twice, that it is over counts. */
function merged(signals: readonly ToldSignal[]): readonly ToldSignal[] {
  const found = new Map<string, ToldSignal>();
  for (const signal of signals) if (!signal.firing || !found.has(signal.identity)) found.set(signal.identity, signal);
  return [...found.values()];
}

function outcomeOf({ firing }: ToldSignal, { row, isNew }: { readonly row: SignalRow; readonly isNew: boolean }): AlertResult['outcome'] {
  if (REFUSED.has(row.settled ?? '')) return 'refused';
  if (!firing) return 'resolved';
  return isNew ? 'signal' : 'repeated';
}

const REFUSED: ReadonlySet<string> = new Set([...SIGNAL_REFUSALS, 'resolved_before_firing']);

function resultOf({ fingerprint, ignored }: ReadAlert, answered: AnsweredRow | undefined): AlertResult {
  if (ignored || answered === undefined) return { fingerprint, outcome: 'ignored' };
  const { row, outcome } = answered;
  return {
    ...{ fingerprint, outcome, signalId: row.id },
    ...(row.settled !== null && { reason: row.settled as NonNullable<AlertResult['reason']> }),
    ...(row.detail !== null && { detail: row.detail }),
  };
}

function tally(results: readonly AlertResult[]): ReadonlyMap<AlertResult['outcome'], number> {
  const counts = new Map<AlertResult['outcome'], number>();
  for (const { outcome } of results) counts.set(outcome, (counts.get(outcome) ?? 0) + 1);
  return counts;
}
