import { assess, causeOfSubject, commonCauses, healthyRevisions, joinedWindows, type Assessed, type CauseWindow } from '#libs/domain';
import type { OutcomeStore, QueueName, QueueRates } from '../ports/outcome-store.port.js';
import type { CauseCases, CauseDesk, CommonCauses } from './collaborators.js';

export interface WindowCausesParts {
  readonly windows: { read(queues: readonly QueueName[], scope: { readonly fromMs: number; readonly toMs: number }): Promise<CauseWindow> };
  readonly outcomes: Pick<OutcomeStore, 'rates' | 'nowMs'>;
  /** Bounds a look at many queues; tells time within this process, ms. */
  readonly monotonicMs: () => number;
}

/** A window is at most so long: what began earlier has long been what is usual. */
const LONGEST_MS = 900_000;
const HEALTHY_WINDOW_MS = 600_000;
const DAY_MS = 86_400_000;
/** How far back counts go. */
const KNOWN_MS = 2 * DAY_MS;
/** Queues of one read: of more, a window leaves some out. */
const READ_AT_ONCE = 50;
/** After it no further read begins, ms: whoever asks holds other replicas off meanwhile, and drives no run. */
const READS_FOR_MS = 5_000;
/** Queues of one open incident that tell what it is about by now. */
const OF_A_CASE = 10;
const FEWEST_SUCCEEDED = 20;
const MOST_BAD = 0.1;

/** Causes by the window of the log, and by what was counted over the two days before. */
export class WindowCauses implements CauseDesk, CommonCauses {
  constructor(private readonly parts: WindowCausesParts) {}

  async assessed(queues: readonly QueueName[], sinceMs: number): Promise<Assessed | null> {
    if (queues.length === 0) return null;
    const nowMs = await this.parts.outcomes.nowMs();
    const window = await this.parts.windows.read(queues, { fromMs: Math.max(sinceMs, nowMs - LONGEST_MS), toMs: nowMs });
    const assessment = assess(window);
    return { assessment, firstSeenMs: assessment.cause === 'bad_revision' ? await this.firstSeenMs(queues, assessment.subject, window, nowMs) : null };
  }

  async common(queues: readonly QueueName[], { cases, sinceMs }: CauseCases): Promise<ReadonlyMap<string, string>> {
    const nowMs = await this.parts.outcomes.nowMs();
    const scope = { fromMs: Math.max(sinceMs, nowMs - LONGEST_MS), toMs: nowMs };
    // What was opened for a target, or by hand, has no cause that others could share.
    const some = cases.map((one) => ({ ...one, queues: one.queues.filter(({ namespace }) => causeOfSubject(namespace, one.subject) !== null).slice(0, OF_A_CASE) }));
    const known = [...new Map(some.flatMap((one) => one.queues).map((queue) => [nameOf(queue), queue])).values()];
    const asked = queues.filter((queue) => !known.some((one) => nameOf(one) === nameOf(queue)));
    // Some of those that are asked for come first: where a look is slow, those in runs would be all that is ever read.
    const { window, read } = await this.readAll([...asked.slice(0, READ_AT_ONCE), ...known, ...asked.slice(READ_AT_ONCE)], scope);
    const placed = new Map<string, string>();
    for (const [namespace, own] of Map.groupBy(read.filter((queue) => asked.includes(queue)), (queue) => queue.namespace)) {
      const among = some.map((one) => ({ ...one, queues: one.queues.filter((queue) => queue.namespace === namespace).map(nameOf) }));
      for (const [name, subject] of commonCauses(namespace, window, own.map(nameOf), among)) placed.set(name, subject);
    }
    return placed;
  }

  /** As many as there is time for: fifty at least. */
  private async readAll(queues: readonly QueueName[], scope: { readonly fromMs: number; readonly toMs: number }): Promise<{ readonly window: CauseWindow; readonly read: readonly QueueName[] }> {
    const beganMs = this.parts.monotonicMs();
    const windows: CauseWindow[] = [];
    let at = 0;
    do {
      windows.push(await this.parts.windows.read(queues.slice(at, at + READ_AT_ONCE), scope));
      at += READ_AT_ONCE;
    } while (at < queues.length && this.parts.monotonicMs() - beganMs < READS_FOR_MS);
    return { window: joinedWindows(windows), read: queues.slice(0, at) };
  }

  async healthy(queues: readonly QueueName[]): Promise<readonly string[]> {
    if (queues.length === 0) return [];
    const nowMs = await this.parts.outcomes.nowMs();
    const window = await this.parts.windows.read(queues, { fromMs: nowMs - HEALTHY_WINDOW_MS, toMs: nowMs });
    const accused = assess(window);
    const lately = healthyRevisions(window).map(({ revision }) => revision);
    const before = provedBefore(await this.parts.outcomes.rates({ sinceMs: nowMs - KNOWN_MS, untilMs: nowMs, queues }));
    return [...new Set([...lately, ...before])].filter((revision) => accused.cause !== 'bad_revision' || revision !== accused.subject);
  }

  /** What was at work a day ago is at least as old, whatever the window knows of it. */
  private async firstSeenMs(queues: readonly QueueName[], revision: string | null, window: CauseWindow, nowMs: number): Promise<number | null> {
    const before = await this.parts.outcomes.rates({ sinceMs: nowMs - KNOWN_MS, untilMs: nowMs - DAY_MS, queues });
    const old = before.flatMap(({ revisions }) => revisions.filter((one) => one.revision === revision).map(({ firstMs }) => firstMs));
    const seen = window.revisions.filter((one) => one.revision === revision).flatMap(({ firstMs }) => (firstMs === null ? [] : [firstMs]));
    const all = [...old, ...seen];
    return all.length === 0 ? null : Math.min(...all);
  }
}

function nameOf({ namespace, queue }: QueueName): string {
  return `${namespace}/${queue}`;
}

/** Enough was done by it and little of that went wrong: the one that ran last comes first. A deploy may lie further back than any window. */
function provedBefore(rates: readonly QueueRates[]): readonly string[] {
  const sums = new Map<string, { succeeded: number; bad: number; lastMs: number }>();
  for (const { revision, counts, lastMs } of rates.flatMap((rate) => rate.revisions)) {
    if (revision === '' || revision === 'other') continue;
    const sum = sums.get(revision) ?? { succeeded: 0, bad: 0, lastMs: 0 };
    sums.set(revision, { succeeded: sum.succeeded + counts.succeeded, bad: sum.bad + counts.failed + counts.lost, lastMs: Math.max(sum.lastMs, lastMs) });
  }
  return [...sums]
    .filter(([, { succeeded, bad }]) => succeeded >= FEWEST_SUCCEEDED && bad / (succeeded + bad) <= MOST_BAD)
    .sort(([, a], [, b]) => b.lastMs - a.lastMs)
    .map(([revision]) => revision);
}
