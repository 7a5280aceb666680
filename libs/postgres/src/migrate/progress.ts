/** What is told while the schema is brought up to date. */
export type MigrationProgress =
  /** Another process migrates: once at first, then every half minute, and when somebody else has taken over. */
  | { readonly kind: 'waiting'; readonly holder: string }
  /** `at` of `of`, from 1. */
  | { readonly kind: 'running'; readonly name: string; readonly at: number; readonly of: number }
  /** A running one waits for a lock that this session of the server has. */
  | { readonly kind: 'blocked'; readonly name: string; readonly by: string }
  /** It gave up its locks, so that others get on, and is tried again. */
  | { readonly kind: 'again'; readonly name: string }
  | { readonly kind: 'ran'; readonly name: string; readonly ms: number };

export interface MigrationWaits {
  /** Longest wait for another process that migrates, and for locks of others, together; ms. Default 600,000. */
  readonly waitMs?: number;
  /** Longest that a statement of a migration waits for a table, ms; all who come after it wait behind it. Default 2,000. */
  readonly lockMs?: number;
  readonly onProgress?: (progress: MigrationProgress) => void;
  /** Ends waiting: RetryableError `migration_ended`. What runs already is finished. */
  readonly signal?: AbortSignal;
}

const DEFAULT_WAIT_MS = 600_000;
const DEFAULT_LOCK_MS = 2_000;

/** A line for a log or a terminal. */
export function progressLine(progress: MigrationProgress): string {
  switch (progress.kind) {
    case 'waiting':
      return `waiting: another process migrates, ${progress.holder}`;
    case 'running':
      return `running ${progress.name} (${String(progress.at)} of ${String(progress.of)})`;
    case 'blocked':
      return `${progress.name} waits for ${progress.by}`;
    case 'again':
      return `${progress.name} has let others go first, and tries again`;
    case 'ran':
      return `ran ${progress.name} (${String(progress.ms)} ms)`;
  }
}

/** One deadline over all waits of a call. */
export class Patience {
  private readonly endMs: number;

  constructor(private readonly waits: MigrationWaits) {
    this.endMs = performance.now() + (waits.waitMs ?? DEFAULT_WAIT_MS);
  }

  get isOver(): boolean {
    return performance.now() >= this.endMs;
  }

  get lockMs(): number {
    return this.waits.lockMs ?? DEFAULT_LOCK_MS;
  }

  get signal(): AbortSignal | undefined {
    return this.waits.signal;
  }

  tell(progress: MigrationProgress): void {
    this.waits.onProgress?.(progress);
  }
}
