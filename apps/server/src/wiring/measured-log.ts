import type { JobWrite, LockedBatch, LogStore, WriteRequest, WriteSet } from '#libs/application';
import { anomaliesOf, bucketUpperMs, RUN_TIME_BUCKETS, type Contribution } from '#libs/domain';
import type { HotKeys, Metrics } from '#libs/observability';
import { addTraffic, countTraffic, type Traffic } from './counted-traffic.js';

/** Times appends. Rows that were only looked at are none. */
export class MeasuredLog implements LogStore {
  constructor(
    private readonly log: LogStore,
    private readonly metrics: Metrics,
  ) {}

  async transact<T>(request: WriteRequest, work: (locked: LockedBatch) => WriteSet<T>): Promise<T> {
    const startedMs = performance.now();
    let events = 0;
    const result = await this.log.transact(request, (locked) => {
      const set = work(locked);
      events = set.writes.reduce((sum, write) => sum + write.events.length, 0);
      return set;
    });
    if (events > 0) {
      this.metrics.appendDuration.observe({}, (performance.now() - startedMs) / 1_000);
      this.metrics.appendBatch.observe({}, events);
    }
    return result;
  }
}

/** Counts what has been committed: what was rolled back or repeated never shows. */
export function countCommitted(metrics: Metrics, writes: readonly JobWrite[], hotQueues: Pick<HotKeys, 'add'>): void {
  const traffic: Traffic = new Map();
  for (const write of writes) {
    begin(metrics, write.job.ref.queue);
    countHot(hotQueues, write);
    countTraffic(metrics, traffic, write);
    countOutcomes(metrics, write);
    countEvents(metrics, write);
    countAnomalies(metrics, write);
    for (const { kind, verdict } of write.verdicts) {
      const { queue } = write.job.ref;
      if (verdict !== null) metrics.verdicts.add({ queue, verdict });
      // Below act nothing is decided, and the lost lease is counted by what would have been.
      if (kind === 'would-have' && verdict === 'lost') countLost(metrics, queue, 1);
    }
    if (write.held !== null) metrics.verdictsHeld.add({ by: write.held.by });
  }
  addTraffic(metrics, traffic);
}

/** Each queue's counters together, before anything is counted: `rate()` takes no notice of what a series begins with. */
function begin(metrics: Metrics, queue: string): void {
  let begun = BEGUN.get(metrics);
  if (begun === undefined) BEGUN.set(metrics, (begun = new Set()));
  if (begun.has(queue) || begun.size >= BEGUN_AT_MOST) return;
  begun.add(queue);
  const { jobsFailed, jobsRetried, jobsRequeued, jobsDeadLettered, leaseRenewalsFailed, jobsQueued, attemptsStarted, writesRefused } = metrics;
  const counters = [jobsFailed, jobsRetried, jobsRequeued, jobsDeadLettered, leaseRenewalsFailed, jobsQueued, attemptsStarted, writesRefused];
  for (const { add } of [...counters, metrics.budgetSpent, metrics.budgetDenied]) add({ queue }, 0);
  metrics.jobsProcessed.add({ queue, status: 'succeeded' }, 0);
  metrics.verdicts.add({ queue, verdict: 'lost' }, 0);
}

const BEGUN = new WeakMap<Metrics, Set<string>>();
/** Names come from outside. Beyond it they share the label `other` anyway. */
const BEGUN_AT_MOST = 10_000;

/** What floods is named by queue and kind, as the job was queued. */
function countHot(hotQueues: Pick<HotKeys, 'add'>, { job, events }: JobWrite): void {
  const facts = events.filter(({ event }) => event.kind === 'fact').length;
  if (facts > 0) hotQueues.add(hotKey(job.ref.queue, job.state.queued?.kind ?? ''), facts);
}

export function hotKey(queue: string, kind: string): string {
  return JSON.stringify([queue, kind]);
}

export function hotLabels(key: string): { readonly queue: string; readonly kind: string } {
  const [queue = '', kind = ''] = JSON.parse(key) as string[];
  return { queue, kind };
}

/** A row's counts can fall, as when a late success overrules a failure; a counter cannot. */
function countOutcomes(metrics: Metrics, { job, before, after }: JobWrite): void {
  const { queue } = job.ref;
  const more = (field: 'succeeded' | 'failed' | 'lost' | 'deadLettered'): number =>
    Math.max(0, after[field] - (before?.[field] ?? 0));
  const succeeded = more('succeeded');
  const failed = more('failed');
  if (succeeded > 0) metrics.jobsProcessed.add({ queue, status: 'succeeded' }, succeeded);
  if (failed > 0) {
    metrics.jobsProcessed.add({ queue, status: 'failed' }, failed);
    metrics.jobsFailed.add({ queue }, failed);
  }
  countLost(metrics, queue, more('lost'));
  const deadLettered = more('deadLettered');
  if (deadLettered > 0) metrics.jobsDeadLettered.add({ queue }, deadLettered);
  const ended = (contribution: Contribution | null) => (contribution?.runTimes ?? []).filter((b) => b < RUN_TIME_BUCKETS);
  for (const bucket of ended(after).slice(ended(before).length)) {
    // Half-way through its bucket, in which it lies somewhere.
    metrics.jobRunTime.observe({ queue }, Math.sqrt(bucketUpperMs(bucket) * bucketUpperMs(bucket - 1)) / 1_000);
  }
}

function countLost(metrics: Metrics, queue: string, lost: number): void {
  if (lost === 0) return;
  metrics.jobsProcessed.add({ queue, status: 'lost' }, lost);
  metrics.jobsFailed.add({ queue }, lost);
}

function countEvents(metrics: Metrics, { job, events }: JobWrite): void {
  const { queue } = job.ref;
  for (const { event } of events) {
    if (event.kind === 'fact') {
      if (event.fact.type === 'lease-renewal-failed') metrics.leaseRenewalsFailed.add({ queue });
      continue;
    }
    const { kind, reason, by } = event.decision;
    if (kind === 'retry-scheduled') metrics.jobsRetried.add({ queue });
    else if (kind === 'requeued') metrics.jobsRequeued.add({ queue });
    else if (kind === 'restart-requested' && by === 'jobwarden' && (reason === 'lost' || reason === 'hung')) {
      metrics.verdicts.add({ queue, verdict: reason });
    }
  }
}

/** New ones by number; which they are is told by the attempts that were written to. */
function countAnomalies(metrics: Metrics, { job, events, before, after }: JobWrite): void {
  const more = after.anomalies - (before?.anomalies ?? 0);
  if (more <= 0) return;
  const touched = new Set<number>(
    events.map(({ event }) =>
      event.kind === 'fact' ? ('attempt' in event.fact ? (event.fact.attempt ?? 0) : 0) : event.decision.attempt,
    ),
  );
  const anomalies = anomaliesOf(job.state);
  const likely = [
    ...anomalies.filter((a) => touched.has(a.attempt)),
    ...anomalies.filter((a) => !touched.has(a.attempt)),
  ];
  for (const { code } of likely.slice(0, more)) metrics.anomalies.add({ code });
}
