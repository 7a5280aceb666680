import { histogramOf, LEARNING, learnedThreshold, quantileOfRuns, STUCK_AFTER_DEFAULT_MS, type JobRef, type LearnedThreshold, type RunTimeHistogram } from '#libs/domain';
import type { LearnedStore, QueueRunTimes } from '../ports/learned-store.port.js';
import { overlay } from '../policies/overlay.js';
import type { PolicySource } from '../ports/policy-source.port.js';

type QueueName = Pick<JobRef, 'namespace' | 'queue'>;

export interface LearnedThresholdsOptions {
  /** Works out anew when the queue's jobs are looked at that wait for their run to have taken too long. */
  readonly reschedule: (queue: QueueName) => Promise<void>;
  /** Queues read at once. Default 100. */
  readonly page?: number;
}

const PAGE = 100;
/** Kinds of one queue that have a threshold of their own: those with the most runs. The others have their queue's. */
const KINDS = 200;
/** By so much less a threshold must be before jobs that wait for the longer one are looked at earlier. */
const SHRUNK = 0.8;

/**
 * What the run times teach, for whoever plans: read in rounds, page by page, and answered from memory.
 *
 *   unread ── first round (`refresh`, before anything is looked at) ──► known ── turn, turn … ──► known, newer
 *
 * A look plans with what is known when it looks, so a threshold that grew needs nothing done: the look moves the job on.
 * One that shrank would leave jobs scheduled for the old one. Their queue's schedules are worked out again, a round after
 * it was seen to shrink: by then every replica knows it, and none schedules for the longer one any more. What a replica
 * that has just started finds may have been longer before, so it does that once for each queue.
 *
 * Not guaranteed: that two replicas know the same at once. Both are values that history taught within a round.
 */
export class LearnedThresholds {
  private readonly known = new Map<string, Taught>();
  private after = 0;

  constructor(
    private readonly store: Pick<LearnedStore, 'runTimes'>,
    private readonly options: LearnedThresholdsOptions,
  ) {}

  /** Of the kind's runs or of the queue's; null: too little is known. */
  of(queue: QueueName, kind: string | null): LearnedThreshold | null {
    const taught = this.known.get(keyOf(queue));
    if (taught === undefined) return null;
    return (kind === null ? undefined : taught.kinds.get(kind)) ?? taught.queue;
  }

  /** Kinds of the queue that have a threshold. */
  kindsOf(queue: QueueName): readonly string[] {
    return [...(this.known.get(keyOf(queue))?.kinds.keys() ?? [])];
  }

  /** What is usual of every queue of which enough is known. */
  *baselines(): Iterable<RunTimeBaseline> {
    for (const { baseline } of this.known.values()) if (baseline !== null) yield baseline;
  }

  /** Reads everything. Without it a queue of long runs would be judged by the default. */
  async refresh(): Promise<void> {
    this.after = 0;
    while ((await this.read()).next !== null);
  }

  /** The next page. Answers whether the round goes on. */
  async turn(): Promise<boolean> {
    const { queues, next } = await this.read();
    for (const queue of queues) await this.follow(queue);
    return next !== null;
  }

  private async read() {
    const page = await this.store.runTimes({ after: this.after, limit: this.options.page ?? PAGE, kinds: KINDS });
    for (const queue of page.queues) this.known.set(keyOf(queue), taughtBy(queue, this.known.get(keyOf(queue))));
    this.after = page.next ?? 0;
    return page;
  }

  private async follow(queue: QueueRunTimes): Promise<void> {
    const taught = this.known.get(keyOf(queue));
    if (taught === undefined) return;
    const { scheduled } = taught;
    let shrunk = false;
    for (const [name, ms] of thresholds(taught)) {
      const before = scheduled.get(name) ?? Infinity;
      if (ms > before) scheduled.set(name, ms);
      else if (ms < before * SHRUNK) shrunk = true;
    }
    const again = shrunk && taught.shrunk;
    taught.shrunk = shrunk && !again;
    if (!again) return;
    await this.options.reschedule({ namespace: queue.namespace, queue: queue.queue });
    taught.scheduled = new Map(thresholds(taught));
  }
}

/** Quantiles of a queue's run times, ms: of all that are remembered, those that were given up included. */
export interface RunTimeBaseline extends QueueName {
  readonly p50Ms: number;
  readonly p99Ms: number;
}

interface Taught {
  queue: LearnedThreshold | null;
  readonly kinds: Map<string, LearnedThreshold>;
  readonly baseline: RunTimeBaseline | null;
  /** By kind, `''` for the queue: the longest threshold, ms, that jobs may have been scheduled for. */
  scheduled: Map<string, number>;
  /** In the round before, one of them was much shorter than that. */
  shrunk: boolean;
}

function taughtBy({ namespace, queue: name, all, kinds }: QueueRunTimes, before: Taught | undefined): Taught {
  const whole = histogramOf(all);
  const byKind = new Map<string, LearnedThreshold>();
  for (const [kind, counts] of kinds) {
    const learned = learnedThreshold(histogramOf(counts), whole);
    if (learned !== null) byKind.set(kind, learned);
  }
  const queue = learnedThreshold(null, whole);
  const baseline = baselineOf({ namespace, queue: name }, whole);
  return { queue, kinds: byKind, baseline, scheduled: before?.scheduled ?? new Map<string, number>(), shrunk: before?.shrunk ?? false };
}

function baselineOf(queue: QueueName, runs: RunTimeHistogram): RunTimeBaseline | null {
  const samples = [...runs.ended.values()].reduce((sum, count) => sum + Math.max(0, count), 0);
  const [p50Ms, p99Ms] = [quantileOfRuns(runs, 0.5), quantileOfRuns(runs, 0.99)];
  return samples < LEARNING.minSamples || p50Ms === null || p99Ms === null ? null : { ...queue, p50Ms, p99Ms };
}

function thresholds({ queue, kinds }: Taught): [string, number][] {
  return [['', queue?.ms ?? STUCK_AFTER_DEFAULT_MS], ...[...kinds].map(([kind, { ms }]): [string, number] => [kind, ms])];
}

/** Policies with what history teaches of each queue; `learned` is left out where a figure is set, or too little is known. */
export function withLearned(policies: PolicySource, thresholds: Pick<LearnedThresholds, 'of'>): PolicySource {
  return overlay(policies, (resolved, ref, kind) => {
    if (resolved.policy.stuckAfter.mode !== 'learned') return resolved;
    const learned = thresholds.of(ref, kind);
    return learned === null ? resolved : { ...resolved, learned };
  });
}

function keyOf({ namespace, queue }: QueueName): string {
  return `${namespace}\0${queue}`;
}
