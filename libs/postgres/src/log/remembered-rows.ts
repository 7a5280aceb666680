import type { JobAccess, JobWrite, LockedJob, WriteRequest } from '#libs/application';

/** Rows kept at most; the longest unused ones go first. One takes about 2 kB. */
const MOST_ROWS = 16_384;
/** Batches at most that read and lock their rows first, after one that found its memory outdated. */
const LONGEST_PAUSE = 64;

type Accesses = ReadonlyMap<string, JobAccess>;

/**
 * Rows as this process has last written them, so that the next events of their jobs fold without reading them again.
 * What is remembered is a guess: the write back names the version that was folded on, takes the row's lock by it, and
 * finds nothing to write where somebody else was there meanwhile. The batch is then repeated on rows that are locked
 * first. So a fold always stands on everything committed; only whether that is known before or after is different.
 *
 * A row is out while a batch folds on it, and comes back once that is committed. Two batches of one process at once on
 * the same job would spoil each other's guess, so the later one does without. Where guesses fail, as where several
 * replicas are told of the same jobs, batches do without for a while, for longer each time.
 *
 * Versions say nothing across a restore or a failover: with another server behind the connection all is forgotten.
 */
export class RememberedRows {
  private readonly rows = new Map<string, LockedJob>();
  private readonly running = new Set<Accesses>();
  private server: string | null = null;
  private pause = 0;
  private longestPause = 0;

  constructor(private readonly most = MOST_ROWS) {}

  /** May this batch rely on what is remembered? */
  suits(request: WriteRequest, access: Accesses): boolean {
    if (request.missing !== 'insert' || request.locked !== 'wait' || request.lockLeases) return false;
    if (this.pause > 0) {
      this.pause -= 1;
      return false;
    }
    return [...this.running].every((other) => !overlap(access, other));
  }

  /** A batch has begun; whatever it does with its jobs, no other may count on them before it is over. */
  begun(access: Accesses): void {
    this.running.add(access);
  }

  over(access: Accesses): void {
    this.running.delete(access);
  }

  /** The row is then the caller's own, to fold on. */
  take(keyHex: string): LockedJob | undefined {
    const row = this.rows.get(keyHex);
    if (row !== undefined) this.rows.delete(keyHex);
    return row;
  }

  /** Is it still the server that the rows were written to? Otherwise forgets them. */
  isOf(server: string): boolean {
    const same = this.server === server || this.server === null;
    this.server = server;
    if (!same) this.rows.clear();
    return same;
  }

  /** What is committed now. Of a job that is over, little more is to come. */
  committed(writes: readonly JobWrite[]): void {
    for (const { job, view, after, scheduleOnly, verdicts, grades, verdictMarks } of writes) {
      this.rows.delete(job.keyHex);
      if (scheduleOnly || view.finished || verdicts.length + grades.length > 0 || verdictMarks !== null) continue;
      const { ref, keyHex, queueId, shard, period, foldVersion, state } = job;
      this.rows.set(keyHex, {
        ...{ ref, keyHex, queueId, shard, period, foldVersion, state, verdictMarks: job.verdictMarks },
        version: job.version + 1,
        folded: { view, contribution: after },
        known: NOTHING,
        leases: NOTHING,
        dueMs: null,
        quarantined: false,
      });
    }
    for (const key of this.rows.keys()) {
      if (this.rows.size <= this.most) break;
      this.rows.delete(key);
    }
  }

  succeeded(): void {
    this.longestPause = 0;
  }

  failed(): void {
    this.longestPause = Math.min(LONGEST_PAUSE, 2 * this.longestPause + 1);
    this.pause = this.longestPause;
  }
}

const NOTHING: ReadonlyMap<never, never> = new Map<never, never>();

function overlap(some: Accesses, others: Accesses): boolean {
  const [fewer, more] = some.size < others.size ? [some, others] : [others, some];
  for (const key of fewer.keys()) if (more.has(key)) return true;
  return false;
}
