import { NEWEST_FOLD_VERSION, unknownFold } from '#libs/domain';
import type { LogStore } from '../ports/log-store.port.js';
import type { AuditStore, KeyRange } from '../ports/audit-store.port.js';
import type { PolicySource } from '../ports/policy-source.port.js';
import { Audit, shareOf } from './audit.js';
import { ReportBuilder, type AuditProgress } from './audit-report.js';
import { RebuildSchedules } from './rebuild-schedules.js';
import { Refold } from './refold.js';

export interface RebuildOptions {
  readonly onProgress?: (progress: AuditProgress) => void;
  /** Checked between two batches; what was rebuilt until then stays. */
  readonly signal?: AbortSignal;
}

export type RebuildOutcome =
  | {
      readonly kind: 'done';
      /** Rows that were written anew; 0 when all were as the log says. */
      readonly rewritten: number;
      /** Counters and run times that were corrected. */
      readonly corrected: number;
      /** Rows whose next look was moved; null where no policies were given: rewritten rows are then looked at at once. */
      readonly rescheduled: number | null;
    }
  /** A newer program has written rows: only it knows how they are folded. */
  | { readonly kind: 'refused'; readonly code: 'newer_rows'; readonly foldVersion: number; readonly detail: string };

export interface ScheduleParts {
  readonly log: LogStore;
  readonly policies: PolicySource;
  /** Reads what run times teach, once they are as the log says. */
  readonly learn?: () => Promise<void>;
}

/** Rows locked at a time: their writers wait for one small batch. */
const BATCH = 100;

/**
 * Folds everything again: rows, counters, run times, and with policies the schedule. In small batches under the rows'
 * locks, so the service may run meanwhile; repeatable, and to be repeated when it was interrupted.
 */
export class Rebuild {
  private readonly audit: Audit;

  constructor(
    private readonly store: AuditStore,
    private readonly schedules: ScheduleParts | null,
  ) {
    this.audit = new Audit(store);
  }

  async run(options: RebuildOptions = {}): Promise<RebuildOutcome> {
    const newest = await this.store.newestFoldVersion();
    if (newest > NEWEST_FOLD_VERSION) {
      const detail = unknownFold('rows were', newest);
      return { kind: 'refused', code: 'newer_rows', foldVersion: newest, detail };
    }
    const rewritten = await this.rows(options);
    const report = new ReportBuilder();
    await this.audit.balance({
      repair: true,
      report,
      ...(options.onProgress !== undefined && { onProgress: options.onProgress }),
    });
    const rescheduled = this.schedules === null ? null : await this.reschedule(this.schedules, options);
    return { kind: 'done', rewritten, corrected: report.report().differences, rescheduled };
  }

  /** A batch is read first, and locked only where something in it has to be written. */
  private async rows({ onProgress, signal }: RebuildOptions): Promise<number> {
    let after: string | null = null;
    let read = 0;
    let rewritten = 0;
    do {
      const range: KeyRange = { after, limit: BATCH };
      const inForce = await this.store.foldVersionInForce();
      const begin = (): Refold => new Refold(this.store.shards, 'rebuild', inForce);
      const refold = begin();
      after = await this.store.slice(range, refold);
      read += refold.rows;
      if (refold.rewrites().length > 0) {
        const { rows, last } = await this.store.rewrite(range, begin);
        rewritten += rows;
        // Rows that came in between may have moved the end of the batch.
        after = last;
      }
      onProgress?.({ phase: 'rows', share: shareOf(after), rows: read, found: rewritten });
    } while (after !== null && signal?.aborted !== true);
    return rewritten;
  }

  private async reschedule(
    { log, policies, learn }: ScheduleParts,
    options: RebuildOptions,
  ): Promise<number> {
    await learn?.();
    return (await new RebuildSchedules(this.store, log, policies).run({ queues: 'all', ...options })).rescheduled;
  }
}
