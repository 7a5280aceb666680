import { jobKey, RESERVED_SOURCE, STUCK_TYPE, type StuckData, type StuckJob } from '#libs/contracts';
import type { JobRef } from '#libs/domain';
import type { NoticeWindow } from '../ports/notice-store.port.js';
import type { ReconciliationRow } from '../ports/reconciliation-store.port.js';
import { instant } from '../publish/cloud-event.js';

export interface StuckNotice {
  readonly id: string;
  readonly queue: string;
  /** Those that it names, and those that it counts. */
  readonly jobs: readonly JobRef[];
  /** The CloudEvent (JSON). */
  readonly message: string;
}

/** One message per queue in which something is stuck; a run's rows without a verdict (a retry, a stop) are no news. */
export function stuckNotices(rows: readonly ReconciliationRow[], window: NoticeWindow, most: number): readonly StuckNotice[] {
  const queues = Map.groupBy(rows.filter(isStuck), ({ ref }) => JSON.stringify([ref.namespace, ref.queue]));
  return [...queues.values()].flatMap((found) => {
    const [first] = found;
    return first === undefined ? [] : [notice(first.ref, found, window, most)];
  });
}

/** What is held is news once it is unresolved: for a moment nearly every verdict is. */
export function isStuck({ verdict, outcome, unresolved }: ReconciliationRow): boolean {
  return verdict !== null && (outcome !== 'held' || unresolved);
}

function notice(
  { namespace, queue }: ReconciliationRow['ref'],
  rows: readonly ReconciliationRow[],
  { runId, fromMs, toMs }: NoticeWindow,
  most: number,
): StuckNotice {
  // A job that was looked at more than once in the window is told as it stands last.
  const jobs = [...new Map(rows.map((row) => [row.ref.id, row])).values()];
  const query = new URLSearchParams({ ...(namespace !== 'default' && { namespace }), queue }).toString();
  const data: StuckData = {
    queue,
    windowStart: instant(fromMs),
    windowEnd: instant(toMs),
    count: jobs.length,
    verdicts: counted(jobs.map((j) => j.verdict ?? '')),
    outcomes: counted(jobs.map((j) => j.outcome)),
    jobs: jobs.slice(0, most).map(stuckJob),
    more: Math.max(0, jobs.length - most),
    link: `/v1/verdicts?${query}`,
  };
  // A restored database gives its runs' numbers out a second time.
  const id = `stuck-${runId.toString(36)}-${fromMs.toString(36)}-${jobKey({ namespace, queue, id: '' }).toString('hex')}`;
  const time = data.windowEnd;
  const head = { specversion: '1.0', id, source: RESERVED_SOURCE, type: STUCK_TYPE, subject: queue, time, namespace };
  return { id, queue, jobs: jobs.map((job) => job.ref), message: JSON.stringify({ ...head, datacontenttype: 'application/json', data }) };
}

function stuckJob(row: ReconciliationRow): StuckJob {
  const { ref, attempt, verdict, worker, dueMs, threshold, action, level, outcome, decisions, heldBy } = row;
  return {
    id: ref.id,
    attempt,
    verdict: verdict ?? 'lost',
    ...(worker !== null && { worker }),
    ...(dueMs !== undefined && { since: instant(dueMs) }),
    threshold,
    level,
    action,
    outcome,
    decisions: [...decisions],
    ...(heldBy !== null && { heldBy }),
  };
}

function counted(words: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const word of words) counts[word] = (counts[word] ?? 0) + 1;
  return counts;
}
