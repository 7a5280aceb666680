import { GroupCommit, RetryableError } from '#libs/application';

/**
 * A group commit that nobody queues for without end. While the database is blocked its few transactions do not come
 * back; whoever has waited for one for `waitMs` is told that no connection is free, and what he wanted is dropped. Who
 * is in a transaction already is not: its events may be committed.
 */
export class TimelyCommit<Item extends object, Result> extends GroupCommit<Item, Result> {
  private readonly begun: WeakSet<Item>;
  private readonly dropped: WeakSet<Item>;

  constructor(
    commit: (items: readonly Item[]) => Promise<readonly Result[]>,
    private readonly waitMs: number,
  ) {
    const begun = new WeakSet<Item>();
    const dropped = new WeakSet<Item>();
    super(async (items) => {
      const wanted = items.filter((item) => !dropped.has(item));
      for (const item of wanted) begun.add(item);
      const results = wanted.length === 0 ? [] : await commit(wanted);
      let at = 0;
      // In the place of what was dropped stands what nobody will read.
      return items.map((item) => (dropped.has(item) ? undefined : results[at++]) as Result);
    });
    this.begun = begun;
    this.dropped = dropped;
  }

  override async submit(items: readonly Item[]): Promise<readonly Result[]> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => {
        if (items.some((item) => this.begun.has(item))) return;
        for (const item of items) this.dropped.add(item);
        reject(
          new RetryableError(
            'connection_exhaustion',
            'no transaction became free in time; nothing was stored, repeat the call',
          ),
        );
      }, this.waitMs);
    });
    try {
      return await Promise.race([super.submit(items), late]);
    } finally {
      clearTimeout(timer);
    }
  }
}
