import type { JobRef, Lease } from '#libs/domain';
import type { Page, PageOf } from './read-models.port.js';

export interface WorkerReads {
  list(namespace: string, page: Page): Promise<PageOf<WorkerRow>>;
  lanes(): Promise<readonly LaneRow[]>;
}

export interface WorkerRow {
  readonly namespace: string;
  readonly id: string;
  readonly incarnation: string | null;
  readonly revision: string | null;
  readonly track: string | null;
  readonly beatMs: number | null;
  readonly runtime: string | null;
  /** JSON text: what it says to hold and nobody knows. */
  readonly unknown: string | null;
  readonly holds: readonly HeldRow[];
}

export interface HeldRow {
  readonly ref: JobRef;
  readonly kind: string | null;
  readonly attempt: number;
  readonly state: string;
  readonly lease: Lease | null;
}

export interface LaneRow {
  readonly lane: number;
  readonly name: string;
  /** The rest is of a broker's lanes only. Position wanted next. */
  readonly next: number;
  /** Append time of the last record stored, ms; 0: none yet. */
  readonly readMs: number;
  readonly gapEndMs: number;
  /** The position that the next record will get, as last seen; null: not known. */
  readonly endAt: number | null;
  readonly stopped: string | null;
  /** false: given up, verdicts do not wait for it. */
  readonly holds: boolean;
}
