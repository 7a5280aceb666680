import { runtimeSample } from '#libs/application';
import type { WorkerSample, WorkerSeen } from '#libs/domain';

export interface SampleRow {
  readonly key: string;
  readonly worker_id: string;
  readonly revision: string;
  readonly namespace: string;
  readonly queues: readonly string[];
  readonly at_ms: number;
  readonly heap_used: number | null;
  readonly heap_limit: number | null;
  readonly rss: number | null;
  readonly loop_lag_ms: number | null;
  readonly pool_in_use: number | null;
  readonly pool_waiting: number | null;
  readonly lock_waits: string | null;
  /** Of its row: its last heartbeat; null where that is gone. */
  readonly beat_ms: number | null;
  readonly runtime: string | null;
}

/** Rows in order of worker and time. What a worker told last of all comes last, whenever its stretch began. */
export function workersSeen(rows: readonly SampleRow[], toMs: number): readonly WorkerSeen[] {
  const found = new Map<string, { worker: string; revision: string; queues: Set<string>; lastMs: number; samples: WorkerSample[]; row: SampleRow }>();
  for (const row of rows) {
    let one = found.get(row.key);
    if (one === undefined) {
      one = { worker: row.worker_id, revision: row.revision, queues: new Set(), lastMs: row.beat_ms ?? row.at_ms, samples: [], row };
      found.set(row.key, one);
    }
    one.revision = row.revision;
    for (const queue of row.queues) one.queues.add(`${row.namespace}/${queue}`);
    one.samples.push(sampleIn(row));
  }
  return [...found.values()].map(({ worker, revision, queues, lastMs, samples, row: { runtime, beat_ms } }) => {
    const last = runtime === null || beat_ms === null || beat_ms >= toMs ? null : runtimeSample(JSON.parse(runtime) as Parameters<typeof runtimeSample>[0], beat_ms);
    return { worker, revision, queues: [...queues], lastMs, samples: last === null ? samples : [...samples, last] };
  });
}

function sampleIn(row: SampleRow): WorkerSample {
  const waits = row.lock_waits === null ? [] : (JSON.parse(row.lock_waits) as { resource: string; holder?: string; waitedMs: number }[]);
  return {
    atMs: row.at_ms,
    heapUsed: row.heap_used,
    heapLimit: row.heap_limit,
    rss: row.rss,
    loopLagMs: row.loop_lag_ms,
    poolInUse: row.pool_in_use,
    poolWaiting: row.pool_waiting,
    lockWaits: waits.map(({ resource, holder, waitedMs }) => ({ resource, holder: holder ?? null, waitedMs })),
  };
}
