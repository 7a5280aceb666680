import type { Query, QueryClient } from '@tanstack/react-query';
import { touches, type Change } from './change';

/** So often at most is read again, however much changes: a busy installation must not keep the page from being read. */
const EVERY_MS = 1_000;
/** The first change after a quiet time is shown at once; a moment for what comes with it. */
const SOON_MS = 50;

/** Reads again what is shown of what has changed. */
export class Invalidation {
  private changes: Change[] = [];
  /** Hashes of queries that were touched, and whose turn had not come. Of queries and not of changes: those are without number. */
  private late = new Set<string>();
  private timer: ReturnType<typeof setTimeout> | undefined;
  private flushedAt = 0;

  constructor(private readonly client: QueryClient) {}

  take(change: Change): void {
    this.changes.push(change);
    this.soon();
  }

  everything(): void {
    void this.client.invalidateQueries();
  }

  stop(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    this.changes = [];
    this.late.clear();
  }

  private soon(): void {
    this.timer ??= setTimeout(() => this.flush(), Math.max(SOON_MS, this.flushedAt + EVERY_MS - Date.now()));
  }

  private flush(): void {
    this.timer = undefined;
    this.flushedAt = Date.now();
    const told = this.changes;
    this.changes = [];
    const queries = this.client.getQueryCache().findAll({
      predicate: ({ queryHash, meta }) =>
        this.late.has(queryHash) || meta?.changes?.some((filter) => told.some((change) => touches(change, filter))) === true,
    });
    const due = new Set(queries.filter(isDue).map(({ queryHash }) => queryHash));
    // What was read a moment ago, or was being read meanwhile, may be from before the change: its turn comes again.
    this.late = new Set(queries.map(({ queryHash }) => queryHash).filter((hash) => !due.has(hash)));
    void this.client.invalidateQueries({ predicate: ({ queryHash }) => due.has(queryHash) });
    if (this.late.size > 0) this.soon();
  }
}

function isDue({ state, meta }: Query): boolean {
  return state.fetchStatus === 'idle' && Date.now() - state.dataUpdatedAt >= (meta?.changesEveryMs ?? EVERY_MS) - 50;
}
