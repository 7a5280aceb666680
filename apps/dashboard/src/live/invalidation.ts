import type { Query, QueryClient } from '@tanstack/react-query';
import { touches, type Change } from './change';

/** So often at most is read again, however much changes: a busy installation must not keep the page from being read. */
const EVERY_MS = 1_000;
/** The first change after a quiet time is shown at once; a moment for what comes with it. */
const SOON_MS = 50;

/** Reads again what is shown of what has changed. */
export class Invalidation {
  private changes: Change[] = [];
  private timer: ReturnType<typeof setTimeout> | undefined;
  private flushedAt = 0;

  constructor(private readonly client: QueryClient) {}

  take(change: Change): void {
    this.changes.push(change);
    this.timer ??= setTimeout(() => this.flush(), Math.max(SOON_MS, this.flushedAt + EVERY_MS - Date.now()));
  }

  everything(): void {
    void this.client.invalidateQueries();
  }

  stop(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    this.changes = [];
  }

  private flush(): void {
    this.timer = undefined;
    this.flushedAt = Date.now();
    const told = this.changes;
    this.changes = [];
    const queries = this.client.getQueryCache().findAll({
      predicate: ({ meta }) => meta?.changes?.some((filter) => told.some((change) => touches(change, filter))) === true,
    });
    const due = new Set(queries.filter(isDue).map(({ queryHash }) => queryHash));
    void this.client.invalidateQueries({ predicate: ({ queryHash }) => due.has(queryHash) });
    // What was read a moment ago, or was being read meanwhile, may be from before the change: its turn comes again.
    if (due.size < queries.length) for (const change of told) this.take(change);
  }
}

function isDue({ state, meta }: Query): boolean {
  return state.fetchStatus === 'idle' && Date.now() - state.dataUpdatedAt >= (meta?.changesEveryMs ?? EVERY_MS) - 50;
}
