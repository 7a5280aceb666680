import type { WorkerBeat } from '#libs/application';

/** One sample per worker in so long, ms of lane time. */
export const SAMPLE_SLOT_MS = 15_000;

/** Of a worker's queues, as many as tell what it works for. */
const MOST_QUEUES = 8;
const MOST_LOCK_WAITS = 8;

interface LockWait {
  readonly resource: string;
  readonly holder?: string;
  readonly waitedMs: number;
}

/** Of a beat's `runtime`, what BEAT_WORKER keeps of it: null where it brought none. Only what is a number is taken for one. */
export function sampleOf({ runtime, jobs }: WorkerBeat): readonly (string | number | readonly string[] | null)[] {
  const queues = [...new Set(jobs.map((j) => j.ref.queue))].slice(0, MOST_QUEUES);
  const whole = (name: string): number | null => {
    const value = runtime?.[name];
    return typeof value === 'number' && Number.isFinite(value) ? Math.min(Math.round(value), Number.MAX_SAFE_INTEGER) : null;
  };
  const figures = ['heapUsed', 'heapLimit', 'rss', 'loopLagMs', 'poolInUse', 'poolWaiting'].map(whole);
  return [runtime === null ? null : queues, ...figures, lockWaitsOf(runtime?.['lockWaits'])];
}

/** The longest ones. */
function lockWaitsOf(told: unknown): string | null {
  if (!Array.isArray(told) || told.length === 0) return null;
  const waits = (told as LockWait[]).toSorted((a, b) => b.waitedMs - a.waitedMs).slice(0, MOST_LOCK_WAITS);
  return JSON.stringify(waits.map(({ resource, holder, waitedMs }) => ({ resource, ...(holder !== undefined && { holder }), waitedMs })));
}
