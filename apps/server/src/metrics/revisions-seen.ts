import type { BoardReads, RevisionOfQueue } from '#libs/application';

/** Counts are kept so long. */
const KEPT_MS = 48 * 3_600_000;
/** What was heard of so soon after that line may have been heard of before it: nobody knows when it was new. */
const UNKNOWN_MS = 600_000;
/** Read again each time: what was still being counted, and what came late. */
const AGAIN_MS = 600_000;
/** Of each queue. */
const NEWEST = 3;

type Seen = Pick<RevisionOfQueue, 'queue' | 'revision' | 'firstMs' | 'lastMs'>;

/**
 * When each revision was first heard of in a queue: read whole once, by whoever begins to export, then only what is new. So a
 * scrape costs what happened since the last one, and a time that was told once does not move.
 */
export class RevisionsSeen {
  private readonly seen = new Map<string, Seen>();
  private readMs: number | null = null;
  private lineMs = 0;

  constructor(private readonly reads: Pick<BoardReads, 'revisions'>) {}

  /** The newest few of each queue, the newest of all first. `nowMs`: lane time. */
  async read(nowMs: number): Promise<readonly Seen[]> {
    const sinceMs = this.readMs === null || this.readMs > nowMs ? nowMs - KEPT_MS : this.readMs - AGAIN_MS;
    const rows = await this.reads.revisions(sinceMs);
    if (this.readMs === null || this.readMs > nowMs) this.begin(sinceMs);
    this.readMs = nowMs;
    for (const row of rows) this.add(row);
    for (const [key, { lastMs }] of this.seen) if (lastMs < nowMs - KEPT_MS) this.seen.delete(key);
    return this.newest(nowMs);
  }

  /** Another replica exports: what it will have told by the time this one does again is not known here. */
  forget(): void {
    this.readMs = null;
    this.seen.clear();
  }

  private begin(lineMs: number): void {
    this.seen.clear();
    this.lineMs = lineMs;
  }

  private add({ queueId, queue, revision, firstMs, lastMs }: RevisionOfQueue): void {
    const key = `${String(queueId)} ${revision}`;
    const before = this.seen.get(key);
    this.seen.set(key, { queue, revision, firstMs: before?.firstMs ?? firstMs, lastMs: Math.max(lastMs, before?.lastMs ?? 0) });
  }

  private newest(nowMs: number): readonly Seen[] {
    const fromMs = Math.max(nowMs - KEPT_MS, this.lineMs + UNKNOWN_MS);
    const known = [...this.seen.values()].filter(({ firstMs }) => firstMs >= fromMs).sort((a, b) => b.firstMs - a.firstMs);
    const told = new Map<string, number>();
    return known.filter(({ queue }) => {
      const n = (told.get(queue) ?? 0) + 1;
      told.set(queue, n);
      return n <= NEWEST;
    });
  }
}
