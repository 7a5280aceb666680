import type { QueueRates } from '../ports/outcome-store.port.js';

/** What a release has done in a queue, by the counts of what was taken in. */
export interface RevisionRecord {
  readonly queue: string;
  readonly revision: string;
  readonly started: number;
  readonly succeeded: number;
  readonly failed: number;
  readonly lost: number;
  /** Lane times, ms. */
  readonly firstMs: number;
  readonly lastMs: number;
}

/** More than these are not told apart, and nothing is of a release that nobody named. */
const NO_REVISION: ReadonlySet<string> = new Set(['', 'other']);
/** At most one end in four is none that one would want: the share above which a queue counts as saturated. */
const HEALTHY_SHARE = 0.75;

/** By queue and release, whatever their tracks. */
export function recordsOf(rates: readonly QueueRates[], namespace: string, queue: string | null): readonly RevisionRecord[] {
  const records = new Map<string, RevisionRecord>();
  for (const { revision, counts, firstMs, lastMs, ...of } of rates.flatMap((rate) => rate.revisions.map((one) => ({ ...one, namespace: rate.namespace, queue: rate.queue })))) {
    if (NO_REVISION.has(revision) || of.namespace !== namespace || (queue !== null && of.queue !== queue)) continue;
    const key = `${of.queue}\0${revision}`;
    const before = records.get(key) ?? { queue: of.queue, revision, started: 0, succeeded: 0, failed: 0, lost: 0, firstMs, lastMs };
    records.set(key, {
      ...before,
      started: before.started + counts.started,
      succeeded: before.succeeded + counts.succeeded,
      failed: before.failed + counts.failed,
      lost: before.lost + counts.lost,
      firstMs: Math.min(before.firstMs, firstMs),
      lastMs: Math.max(before.lastMs, lastMs),
    });
  }
  return [...records.values()];
}

/** Of all queues in the records together. */
export function isHealthy(records: readonly RevisionRecord[], revision: string): boolean {
  const own = records.filter((record) => record.revision === revision);
  const sum = (of: 'succeeded' | 'failed' | 'lost') => own.reduce((total, record) => total + record[of], 0);
  const succeeded = sum('succeeded');
  return succeeded > 0 && succeeded / (succeeded + sum('failed') + sum('lost')) >= HEALTHY_SHARE;
}
