import type { ParsedWorkerHeartbeat } from '#libs/contracts';
import type { Worker, WorkerSample, WorkerSeen } from '#libs/domain';

/** One sample per worker in so long, ms; as the table of samples has them. */
const SAMPLE_SLOT_MS = 15_000;

interface Known {
  readonly worker: string;
  revision: string;
  lastMs: number;
  readonly samples: WorkerSample[];
  newest: WorkerSample | null;
  readonly queues: Set<string>;
}

type Runtime = NonNullable<ParsedWorkerHeartbeat['runtime']>;

/** How workers' processes stood, by what their heartbeats told. */
export class WorkerBook {
  private readonly workers = new Map<string, Known>();

  beat({ namespace, worker, beats, runtime }: ParsedWorkerHeartbeat, atMs: number): void {
    const known = this.of(namespace, worker, atMs);
    known.lastMs = Math.max(known.lastMs, atMs);
    known.revision = worker.revision ?? '';
    for (const { ref } of beats) known.queues.add(`${ref.namespace}/${ref.queue}`);
    if (runtime === undefined) return;
    known.newest = runtimeSample(runtime, atMs);
    const last = known.samples.at(-1);
    if (last === undefined || Math.floor(atMs / SAMPLE_SLOT_MS) > Math.floor(last.atMs / SAMPLE_SLOT_MS)) known.samples.push(known.newest);
  }

  /** Heard of since `fromMs`, and known to work for one of `queues`: they have beaten with a job of it. */
  seen(fromMs: number, queues: ReadonlySet<string>): readonly WorkerSeen[] {
    const told = [...this.workers.values()].filter((w) => w.lastMs >= fromMs && w.newest !== null);
    return told.filter((w) => [...w.queues].some((q) => queues.has(q))).map(({ worker, revision, queues: own, lastMs, samples, newest }) => {
      const all = newest === null || samples.at(-1) === newest ? samples : [...samples, newest];
      return { worker, revision, queues: [...own], lastMs, samples: all.filter((s) => s.atMs >= fromMs) };
    });
  }

  private of(namespace: string, { id, incarnation }: Worker, atMs: number): Known {
    const key = [namespace, id, incarnation ?? ''].join('\0');
    let known = this.workers.get(key);
    if (known === undefined) {
      known = { worker: id, revision: '', lastMs: atMs, samples: [], newest: null, queues: new Set() };
      this.workers.set(key, known);
    }
    return known;
  }
}

/** Of a heartbeat's `runtime`. */
export function runtimeSample(runtime: Runtime, atMs: number): WorkerSample {
  const { heapUsed, heapLimit, rss, loopLagMs, poolInUse, poolWaiting, lockWaits } = runtime;
  return {
    atMs,
    heapUsed: heapUsed ?? null,
    heapLimit: heapLimit ?? null,
    rss: rss ?? null,
    loopLagMs: loopLagMs ?? null,
    poolInUse: poolInUse ?? null,
    poolWaiting: poolWaiting ?? null,
    lockWaits: (lockWaits ?? []).map(({ resource, holder, waitedMs }) => ({ resource, holder: holder ?? null, waitedMs })),
  };
}
