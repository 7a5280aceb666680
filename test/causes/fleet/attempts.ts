import type { Agenda } from '../agenda.js';
import type { Scribe } from '../log/scribe.js';
import type { Random } from '../random.js';
import type { Job, Run } from './run.js';
import type { Queue } from './terrain.js';

export interface Counts {
  succeeded: number;
  failed: number;
  lost: number;
}

/**
 * What Jobwarden decides about attempts that ended: retried after a backoff, taken for lost when their lease ends,
 * requeued after the grace, dead-lettered when there is nothing left. The decisions that the log has, in its words.
 */
export class Attempts {
  readonly counts: Counts = { succeeded: 0, failed: 0, lost: 0 };

  constructor(
    private readonly agenda: Agenda,
    private readonly scribe: Scribe,
    private readonly random: Random,
    private readonly again: (job: Job) => void,
  ) {}

  succeeded(run: Run): void {
    if (overtaken(run)) {
      this.scribe.refused(run, 'succeeded');
      return;
    }
    this.counts.succeeded += 1;
    run.job.done = true;
    this.scribe.succeeded(run);
  }

  failed(run: Run, queue: Queue, error: Parameters<Scribe['failed']>[1]): void {
    const { job } = run;
    if (overtaken(run)) {
      this.scribe.refused(run, 'failed');
      return;
    }
    this.counts.failed += 1;
    this.scribe.failed(run, error);
    if (job.attempt !== run.attempt) return;
    job.lostInARow = 0;
    const most = job.ownRetries ?? queue.maxRetries;
    if (job.retriesUsed >= most) {
      this.deadLetter(run, 'failed', most);
      return;
    }
    job.retriesUsed += 1;
    const base = Math.min(300_000, queue.backoffMs * 2 ** (job.retriesUsed - 1));
    const delayMs = Math.round(base * (1 + 0.2 * this.random.next()));
    const { attempt } = job;
    const dueAt = new Date(this.agenda.nowMs + delayMs).toISOString();
    this.scribe.decided('retry-scheduled', job, { attempt, reason: 'failed', dueAt, evidence: { delayMs, retry: job.retriesUsed, maxRetries: most } });
    this.agenda.after(delayMs, () => { this.requeue(run, 'backoff'); });
  }

  /** Nobody renews its lease any more: whoever ran it is gone, or hangs. */
  silentFrom(run: Run, queue: Queue, leaseMs: number): void {
    this.agenda.after(leaseMs, () => {
      const { job, attempt, worker } = run;
      if (job.done || job.attempt !== attempt || run.suspected) return;
      run.suspected = true;
      this.counts.lost += 1;
      job.lostInARow += 1;
      const { nowMs } = this.agenda;
      this.scribe.decided('restart-requested', job, {
        attempt,
        reason: 'lost',
        evidence: { threshold: { source: 'queue', ms: leaseMs }, lastSignMs: nowMs - leaseMs, dueMs: nowMs },
        previousWorker: worker.told,
      });
      this.agenda.after(queue.graceMs, () => { this.afterGrace(run, queue); });
    });
  }

  private afterGrace(run: Run, queue: Queue): void {
    const { job, attempt } = run;
    if (job.done || job.attempt !== attempt) return;
    const most = job.ownRetries ?? queue.maxRetries;
    const usedUp = job.retriesUsed >= most;
    const pill = queue.poisonAfter === null ? usedUp && job.lostInARow > most : job.lostInARow >= queue.poisonAfter;
    if (usedUp || pill) {
      this.deadLetter(run, pill ? 'poison_pill' : 'lost', most);
      return;
    }
    job.retriesUsed += 1;
    this.requeue(run, 'lost');
  }

  private requeue({ job, worker }: Run, reason: string): void {
    if (job.done) return;
    job.attempt += 1;
    this.scribe.decided('requeued', job, { attempt: job.attempt, reason, previousWorker: worker.told });
    this.again(job);
  }

  private deadLetter({ job, attempt }: Run, reason: string, maxRetries: number): void {
    job.done = true;
    this.scribe.decided('dead-lettered', job, { attempt, reason, evidence: { retriesUsed: job.retriesUsed, maxRetries } });
  }
}

/** Until another worker has begun the next attempt, what the first one says still counts. */
function overtaken({ job, attempt }: Run): boolean {
  return job.begun > attempt;
}
