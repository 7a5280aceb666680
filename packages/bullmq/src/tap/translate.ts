import { newRun, type Run, type RunState } from './run.js';
import { endedStarts, isLastOf, stalls, type Entry } from './entry.js';
import {
  beatFact,
  failedFact,
  goneFact,
  queuedFact,
  startedFact,
  succeededFact,
  workerOf,
  type FactContext,
  type TapFact,
} from './facts.js';
import { parsed, type NativeJob } from './native-job.js';
import { compareIds, entryMs } from './stream-id.js';

/** Of a job that BullMQ itself keeps from its workers (rate limit, a processor's own delay, children): nobody can be lost. */
const PARKED_MS = 24 * 3_600_000;
/** Said of every job that is not there any more, however that was noticed: two taps must say the same. */
export const GONE = 'no longer in the queue';

/** What was read beside a batch of entries, after its last one. */
export interface Beside {
  /** By native id; null: there is no such job any more. */
  readonly jobs: ReadonlyMap<string, NativeJob | null>;
  readonly locks: ReadonlyMap<string, Lock>;
}

export interface Lock {
  readonly token: string;
  /** What is left of it, ms. */
  readonly leftMs: number;
}

/**
 * Entries of one queue's stream, in order, as facts.
 *
 *   added                              → queued
 *   active                             → started; the n-th start of a job is attempt n, whatever ended the one before
 *   completed                          → succeeded
 *   failed                             → failed for good: BullMQ gives it up
 *   waiting | delayed, out of active   → failed, to be tried again, where `atm` has grown; else the worker only gave it back
 *   waiting, then stalled              → nothing: the lock was gone, and nobody knows what became of the worker
 *   removed                            → cancelled
 *
 * The hash is read after the batch, so it may be ahead of an entry. What is counted (starts, failures) is counted from the
 * entries; the hash only says where to begin.
 */
export class Translation {
  /** By native id: what has not ended. */
  readonly runs = new Map<string, Run>();
  /** Those of them that a worker has taken. */
  readonly active = new Set<Run>();

  constructor(private readonly context: FactContext) {}

  take(entries: readonly Entry[], beside: Beside): TapFact[] {
    const facts: TapFact[] = [];
    for (const [at, entry] of entries.entries()) {
      if (entry.nativeId === '' || entry.event === 'stalled') continue;
      const run = this.runFor(entry, { entries, at }, beside, facts);
      if (run === null || compareIds(entry.id, run.asOf) <= 0) continue;
      this.step(run, { entry, stalls: stalls(entries, at), last: isLastOf(entries, at) }, beside, facts);
    }
    return facts;
  }

  /** A run that ended, or that is not there any more, is forgotten. */
  private step(run: Run, { entry, stalls, last }: Step, beside: Beside, facts: TapFact[]): void {
    const job = beside.jobs.get(run.nativeId) ?? null;
    const atMs = entryMs(entry.id);
    switch (entry.event) {
      case 'active':
        this.start(run, job, last ? (beside.locks.get(run.nativeId) ?? null) : null, atMs, facts);
        return;
      case 'completed':
        facts.push(succeededFact(this.context, run, { atMs, durationMs: durationOf(run, job, atMs) }));
        this.drop(run);
        return;
      case 'failed':
        facts.push(this.failure(run, { job, entry, final: true }));
        this.drop(run);
        return;
      case 'waiting':
      case 'delayed':
      case 'waiting-children':
        if (run.state === 'active' && !stalls) this.leftActive(run, entry, job, facts);
        this.move(run, entry.event === 'delayed' ? 'delayed' : 'waiting');
        return;
      case 'removed':
        facts.push(goneFact(this.context, run, GONE, atMs));
        this.drop(run);
        return;
      case 'progress':
        this.progress(run, entry);
        return;
      default:
    }
  }

  private start(run: Run, job: NativeJob | null, lock: Lock | null, atMs: number, facts: TapFact[]): void {
    run.starts += 1;
    this.move(run, 'active');
    run.activeMs = atMs;
    run.startedMs = Math.max(atMs, run.startedMs);
    run.token = lock?.token ?? null;
    run.worker = workerOf(this.context.queue, run, job);
    run.lookMs = 0;
    facts.push(startedFact(this.context, run, atMs));
  }

  private leftActive(run: Run, entry: Entry, job: NativeJob | null, facts: TapFact[]): void {
    if (entry.event !== 'waiting-children' && (job === null || job.ends > run.failures)) {
      facts.push(this.failure(run, { job, entry, final: false }));
      run.failures += 1;
      return;
    }
    const dueMs = Number(entry.fields['delay'] ?? 0) - entryMs(entry.id);
    facts.push(beatFact(this.context, run, entry.event === 'delayed' && dueMs > 0 ? dueMs + PARKED_MS : PARKED_MS));
  }

  private failure(run: Run, { job, entry, final }: { job: NativeJob | null; entry: Entry; final: boolean }): TapFact {
    const atMs = entryMs(entry.id);
    // Where none was dropped there is one stack for each failure; else the newest, if no later one can have come.
    const whole = job !== null && job.stacks.length === job.ends;
    const stack = (whole ? job.stacks[run.failures] : job?.ends === run.failures + 1 ? job.stacks.at(-1) : null) ?? null;
    const newest = job?.ends === run.failures + 1 ? job.failedReason : null;
    // The hash has the delay itself, until the job is due; the entry has when that is.
    const dueMs = Number(entry.fields['delay'] ?? atMs);
    const delayMs = entry.event !== 'delayed' ? 0 : job !== null && job.waitMs > 0 ? job.waitMs : dueMs - atMs;
    return failedFact(this.context, run, {
      ...{ atMs, stack, final, retryAfterMs: delayMs },
      reason: entry.fields['failedReason'] ?? newest ?? messageOf(stack),
    });
  }

  /** Goes out with the next heartbeat. A number says nothing that could be secret; anything else may. */
  private progress(run: Run, entry: Entry): void {
    const value = parsed(entry.fields['data']);
    if (typeof value === 'number' || this.context.payload) run.progress = value;
  }

  /** The run that an entry is about; one that was not known until now is told as queued. */
  private runFor(entry: Entry, { entries, at }: At, { jobs }: Beside, facts: TapFact[]): Run | null {
    const { nativeId, event } = entry;
    const known = this.runs.get(nativeId);
    if (known !== undefined && event !== 'added') return known;
    const job = jobs.get(nativeId) ?? null;
    if (event === 'added') {
      // Already in what the snapshot read; by now its hash may be gone.
      if (known !== undefined && compareIds(entry.id, known.asOf) <= 0) return known;
      const createdMs = job?.createdMs ?? entryMs(entry.id);
      if (known?.createdMs === createdMs) return known;
      const run = newRun(nativeId, createdMs);
      this.remember(run, queuedFact(this.context, run, entry.fields['name'] ?? '', job), facts);
      return run;
    }
    // The end of what had ended before the tap looked, or a job that is gone: nobody knows when it was created.
    if (job === null || event === 'removed' || event === 'duplicated' || event === 'deduplicated' || event === 'progress') return null;
    const run = newRun(nativeId, job.createdMs, job);
    const later = entries.slice(at).filter((other) => other.nativeId === nativeId);
    // These are in the hash already, and are counted when they come.
    run.starts = Math.max(0, job.starts - later.filter((other) => other.event === 'active').length);
    run.failures = Math.max(0, job.ends - endedStarts(later));
    if (entry.prev === 'active') run.state = 'active';
    this.remember(run, queuedFact(this.context, run, job.name, job), facts);
    return run;
  }

  private remember(run: Run, queued: TapFact, facts: TapFact[]): void {
    this.keep(run);
    // An attempt that Jobwarden had put into the queue is of a run that was queued before.
    if (run.firstAttempt === 1) facts.push(queued);
  }

  keep(run: Run): void {
    const before = this.runs.get(run.nativeId);
    if (before !== undefined) this.active.delete(before);
    this.runs.set(run.nativeId, run);
    this.move(run, run.state);
  }

  forget(): void {
    this.runs.clear();
    this.active.clear();
  }

  private drop(run: Run): void {
    this.runs.delete(run.nativeId);
    this.active.delete(run);
  }

  private move(run: Run, state: RunState): void {
    run.state = state;
    if (state === 'active') this.active.add(run);
    else this.active.delete(run);
  }

  /** Of a run whose job is found to be gone, with nothing in the stream that says how it ended. */
  gone(run: Run, atMs: number): TapFact {
    this.drop(run);
    return goneFact(this.context, run, GONE, atMs);
  }
}

interface At {
  readonly entries: readonly Entry[];
  readonly at: number;
}

interface Step {
  readonly entry: Entry;
  /** BullMQ puts it back because its lock is gone. */
  readonly stalls: boolean;
  /** No later start of the job is in the batch: the lock that was read is this one's. */
  readonly last: boolean;
}

function durationOf(run: Run, job: NativeJob | null, atMs: number): number | null {
  if (job?.processedMs != null && job.finishedMs !== null) return job.finishedMs - job.processedMs;
  return job === null && run.activeMs !== null ? atMs - run.activeMs : null;
}

function messageOf(stack: string | null): string | null {
  const line = stack?.split('\n', 1)[0] ?? null;
  return line === null ? null : line.replace(/^[A-Za-z_$][\w$.]*: /u, '');
}

