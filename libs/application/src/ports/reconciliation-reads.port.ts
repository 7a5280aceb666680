import type { JobRef } from '#libs/domain';
import type { Page, PageOf } from './read-models.port.js';
import type { ReconciliationRow } from './reconciliation-store.port.js';

export interface ReconciliationReads {
  list(filter: RunFilter, page: Page): Promise<PageOf<RunRow>>;
  one(id: string): Promise<RunRow | null>;
  /** Verdicts that are overdue for two looks and more, and not given. */
  unresolved(namespace: string): Promise<Unresolved>;
  verdicts(filter: VerdictFilter, page: Page): Promise<PageOf<VerdictRow>>;
}

export interface Unresolved {
  readonly count: number;
  readonly oldestMs: number | null;
}

/** Only runs with a row that fits. */
export interface RunFilter {
  readonly namespace: string;
  readonly queue?: string;
  readonly verdict?: string;
}

export interface RunRow {
  readonly id: string;
  /** When it began. */
  readonly laneMs: number;
  readonly trigger: string;
  readonly looked: number;
  readonly decided: number;
  readonly wouldHave: number;
  readonly held: number;
  readonly rows: readonly ReconciliationRow[];
}

export interface VerdictFilter {
  readonly namespace: string;
  readonly queue?: string;
  /** Of a job, in whichever queues of the namespace it is. */
  readonly id?: string;
  readonly verdict?: string;
  readonly grade?: string;
  readonly kind?: string;
  readonly action?: string;
  readonly state?: string;
}

export interface VerdictRow {
  readonly id: string;
  readonly ref: JobRef;
  readonly attempt: number;
  readonly kind: string;
  readonly verdict: string | null;
  readonly reason: string;
  readonly action: string | null;
  readonly level: string | null;
  readonly decision: string | null;
  readonly thresholdSource: string | null;
  readonly thresholdMs: number | null;
  readonly worker: string | null;
  readonly firstMs: number;
  readonly lastMs: number;
  readonly times: number;
  readonly grade: string;
  readonly gradedMs: number | null;
  readonly state: string;
  readonly refusal: string | null;
  readonly approval: {
    readonly by: string;
    readonly reason: string;
    readonly atMs: number;
    readonly untilMs: number;
  } | null;
}
