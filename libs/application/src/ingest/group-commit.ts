/**
 * Group commit: callers hand in a few items each; whatever has gathered while a transaction was under way goes into the
 * next one together. One caller alone waits for nobody; sixty-four share one commit.
 *
 * A batch's failure is told to every caller in it. Order: items of one caller stay in order; two callers' items may
 * swap, as two requests may.
 */
export class GroupCommit<Item, Result> {
  private waiting: Submission<Item, Result>[] = [];
  private running = 0;

  constructor(
    private readonly commit: (items: readonly Item[]) => Promise<readonly Result[]>,
    private readonly options: GroupCommitOptions = DEFAULT_OPTIONS,
  ) {}

  async submit(items: readonly Item[]): Promise<readonly Result[]> {
    if (items.length === 0) return [];
    return await new Promise((resolve, reject) => {
      this.waiting.push({ items, resolve, reject });
      this.next();
    });
  }

  /** Items that wait for a transaction. */
  get depth(): number {
    return this.waiting.reduce((sum, s) => sum + s.items.length, 0);
  }

  private next(): void {
    while (this.running < this.options.concurrency && this.waiting.length > 0) {
      this.running += 1;
      void this.run(this.take()).finally(() => {
        this.running -= 1;
        this.next();
      });
    }
  }

  private take(): Submission<Item, Result>[] {
    let count = 0;
    let size = 0;
    for (const submission of this.waiting) {
      if (count > 0 && size + submission.items.length > this.options.maxItems) break;
      size += submission.items.length;
      count += 1;
    }
    return this.waiting.splice(0, count);
  }

  private async run(batch: readonly Submission<Item, Result>[]): Promise<void> {
    try {
      const results = await this.commit(batch.flatMap((s) => s.items));
      let at = 0;
      for (const { items, resolve } of batch) {
        resolve(results.slice(at, at + items.length));
        at += items.length;
      }
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
  }
}

interface Submission<Item, Result> {
  readonly items: readonly Item[];
  readonly resolve: (results: readonly Result[]) => void;
  readonly reject: (error: unknown) => void;
}

export interface GroupCommitOptions {
  /** Transactions at once. Two: one folds while the other waits for the disk. */
  readonly concurrency: number;
  /** Items per transaction; a single larger submission goes alone. */
  readonly maxItems: number;
}

const DEFAULT_OPTIONS: GroupCommitOptions = { concurrency: 2, maxItems: 2_000 };
