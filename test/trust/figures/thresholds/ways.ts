import { histogramOf, LEARNING, learnedThreshold, runTimeBucket, STUCK_AFTER_DEFAULT_MS, type LearningRules } from '#libs/domain';
import { declaredMs, type Run } from './runs.js';

/** When a run that never ends would be called stuck, ms; Infinity: never. */
export type Way = (run: Run) => number;

/** From `fromMs` on, until the next step, the threshold is `ms`. */
interface Step {
  readonly fromMs: number;
  readonly ms: number;
}

/**
 * The shipped code, fed in the order in which runs ended: at any moment it knows those that had ended by then, and nothing
 * of what was still running. A look plans with what is known when it looks, so a threshold that changes meanwhile counts.
 */
export function learned(runs: readonly Run[], rules: LearningRules = LEARNING, byKind = false): Way {
  const steps = new Map<string, Step[]>();
  const queues = new Map<string, Map<number, number>>();
  const kinds = new Map<string, Map<number, number>>();
  for (const run of [...runs].sort((a, b) => a.endMs - b.endMs)) {
    const bucket = runTimeBucket(run.endMs - run.startMs);
    const ofQueue = counted(queues, run.queue, bucket);
    const ofKind = byKind ? counted(kinds, nameOf(run, true), bucket) : null;
    step(steps, nameOf(run, false), run.endMs, learnedThreshold(null, histogramOf(ofQueue), rules)?.ms);
    if (ofKind !== null) step(steps, nameOf(run, true), run.endMs, learnedThreshold(histogramOf(ofKind), histogramOf(ofQueue), rules)?.ms);
  }
  return (run) => calledStuckMs(run.startMs, (byKind ? steps.get(nameOf(run, true)) : undefined) ?? steps.get(nameOf(run, false)) ?? FIRST);
}

const FIRST: readonly Step[] = [{ fromMs: -Infinity, ms: STUCK_AFTER_DEFAULT_MS }];

function nameOf({ queue, kind }: Run, withKind: boolean): string {
  return withKind ? `${queue}/${kind}` : queue;
}

function counted(all: Map<string, Map<number, number>>, name: string, bucket: number): Map<number, number> {
  let counts = all.get(name);
  if (counts === undefined) all.set(name, (counts = new Map<number, number>()));
  counts.set(bucket, (counts.get(bucket) ?? 0) + 1);
  return counts;
}

function step(all: Map<string, Step[]>, name: string, fromMs: number, ms = STUCK_AFTER_DEFAULT_MS): void {
  let steps = all.get(name);
  if (steps === undefined) all.set(name, (steps = [...FIRST]));
  if (steps.at(-1)?.ms !== ms) steps.push({ fromMs, ms });
}

/** The first moment at which the run had taken as long as was then allowed. */
export function calledStuckMs(startMs: number, steps: readonly Step[]): number {
  for (const [i, { fromMs, ms }] of steps.entries()) {
    const untilMs = steps[i + 1]?.fromMs ?? Infinity;
    if (untilMs <= startMs) continue;
    const stuckMs = Math.max(fromMs, startMs + ms);
    if (stuckMs < untilMs) return stuckMs;
  }
  return Infinity;
}

/** One figure for everything: what the runs of the first fifth teach, once and for all. */
export function fixed(fitted: readonly Run[], factor: number): { readonly ms: number; readonly way: Way } {
  const ms = p99Ms(fitted) * factor;
  return { ms, way: (run) => run.startMs + ms };
}

/** The same for each queue; of a queue without a run in the first fifth nobody knows anything: the default. */
export function fixedPerQueue(fitted: readonly Run[], factor: number): Way {
  const byQueue = Map.groupBy(fitted, (run) => run.queue);
  const limits = new Map([...byQueue].map(([queue, runs]) => [queue, p99Ms(runs) * factor]));
  return (run) => run.startMs + (limits.get(run.queue) ?? STUCK_AFTER_DEFAULT_MS);
}

function p99Ms(runs: readonly Run[]): number {
  const times = runs.map((r) => r.endMs - r.startMs).sort((a, b) => a - b);
  return times[Math.ceil(0.99 * times.length) - 1] ?? STUCK_AFTER_DEFAULT_MS;
}

/** What was declared, and a twentieth more; `otherwise` where nothing is. */
export function declared(otherwise: Way): Way {
  return (run) => {
    const ms = declaredMs(run);
    return ms === null ? otherwise(run) : run.startMs + ms * 1.05;
  };
}

export const never: Way = () => Infinity;
