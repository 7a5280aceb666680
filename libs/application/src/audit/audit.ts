import { jobKeyHex } from '#libs/contracts';
import type { JobRef } from '#libs/domain';
import type { AuditStore, KeyRange, PositionCheck } from '../ports/audit-store.port.js';
import { ReportBuilder, type AuditProgress, type AuditReport } from './audit-report.js';
import { isMendable, Refold, type Verified } from './refold.js';
import { Tally } from './tally.js';

export interface AuditOptions {
  /** `all` also compares counters and positions; a sample or one job compares rows alone. */
  readonly scope: 'all' | { readonly sample: number } | { readonly job: JobRef };
  /** Rewrites what differs, from the log, and records it as a drift. Default false: nothing is written. */
  readonly repair?: boolean;
  readonly onProgress?: (progress: AuditProgress) => void;
  /** Checked between two slices: the report then holds what was done so far. */
  readonly signal?: AbortSignal;
}

/** Rows read in one snapshot: short enough to hold no vacuum back, long enough to spare round trips. */
const SLICE = 200;
const SAMPLE_SLICE = 25;
/** Rows summed in one snapshot when counters are compared. */
const ROWS_PER_BALANCE = 2_000_000;

/**
 * Refolds jobs from the log and compares them with their rows; then counters with the rows, and numbers with the
 * shards' counters. A difference that one snapshot shows is one: writers change a row and its log together. Before a
 * row is rewritten it is compared once more under its lock.
 *
 * Rows of an older version than the one in force are compared in their own, and with repair moved to that one.
 *
 * Repairing: rows first, each with its difference in the counters, as any writer does; then what is left between
 * counters and rows is added to the counters. Afterwards both are right, whichever half of an update was lost.
 */
export class Audit {
  constructor(private readonly store: AuditStore) {}

  async run(options: AuditOptions): Promise<AuditReport> {
    const report = new ReportBuilder();
    if (options.scope === 'all') {
      await this.rows(options, report);
      await this.balance({ ...options, report });
      await this.positions(options, report);
    } else if ('job' in options.scope) {
      await this.slice({ only: jobKeyHex(options.scope.job) }, options, report);
    } else {
      await this.sample(options.scope.sample, options, report);
    }
    // A rewritten row moved its counters along; where only the row had lost an update, they are off now.
    if (options.repair === true && options.scope !== 'all' && report.report().repaired > 0) {
      await this.balance({ ...options, report });
    }
    return report.report();
  }

  /** One step of a walk over all rows, for auditing in the background. `next` is null when the walk is through. */
  async step(range: { readonly after: string | null; readonly limit: number }, repair: boolean): Promise<AuditStep> {
    const report = new ReportBuilder();
    const next = await this.slice(range, { repair }, report);
    if (repair && report.report().repaired > 0) await this.balance({ repair, report });
    return { report: report.report(), next };
  }

  private async rows(options: AuditOptions, report: ReportBuilder): Promise<void> {
    let after: string | null = null;
    do {
      after = await this.slice({ after, limit: SLICE }, options, report);
      options.onProgress?.({
        phase: 'rows',
        share: shareOf(after),
        rows: report.rows,
        found: report.report().differences,
      });
    } while (after !== null && options.signal?.aborted !== true);
  }

  private async sample(size: number, options: AuditOptions, report: ReportBuilder): Promise<void> {
    if ((await this.store.countRows(size + 1)) <= size) {
      await this.rows(options, report);
      return;
    }
    while (report.rows < size && options.signal?.aborted !== true) {
      const limit = Math.min(SAMPLE_SLICE, size - report.rows);
      await this.slice({ after: randomKey(), limit }, options, report);
      options.onProgress?.({
        phase: 'rows',
        share: report.rows / size,
        rows: report.rows,
        found: report.report().differences,
      });
    }
  }

  private async slice(
    range: KeyRange,
    { repair = false }: { readonly repair?: boolean },
    report: ReportBuilder,
  ): Promise<string | null> {
    const begin = await this.refolding();
    const refold = begin();
    const next = await this.store.slice(range, refold);
    const verified = refold.verified();
    const outdated = verified.filter((v) => v.kind === 'outdated').length;
    report.events += refold.events;
    report.rows += verified.filter((v) => v.kind !== 'orphan').length;
    for (const one of verified) await this.judge(one, repair, report);
    report.outdated += outdated;
    if (repair && outdated > 0) report.refolded += (await this.store.rewrite(range, begin)).rows;
    return next;
  }

  private async judge(found: Verified, repair: boolean, report: ReportBuilder): Promise<void> {
    switch (found.kind) {
      case 'same':
      case 'outdated':
        return;
      case 'orphan':
        report.add(found);
        return;
      case 'unlogged':
      case 'newer':
        report.add({ kind: found.kind, ref: found.row.ref, keyHex: found.row.keyHex });
        return;
      case 'row': {
        const { row, fields } = found;
        const repaired = repair && isMendable(fields) && (await this.repairRow(row.keyHex));
        report.add({ kind: 'row', ref: row.ref, keyHex: row.keyHex, fields, repaired });
      }
    }
  }

  /** False: somebody else has rewritten it meanwhile. */
  private async repairRow(keyHex: string): Promise<boolean> {
    const { rows } = await this.store.rewrite({ only: keyHex }, await this.refolding());
    return rows > 0;
  }

  /** Asked for each slice: the version in force may be raised in the middle of a walk. */
  private async refolding(): Promise<() => Refold> {
    const inForce = await this.store.foldVersionInForce();
    return () => new Refold(this.store.shards, 'repair', inForce);
  }

  /** Compares counters with the rows; with `repair` adds what is missing. Exported to the rebuild. */
  async balance({ repair = false, onProgress, report }: BalanceOptions): Promise<void> {
    const rows = await this.store.countRows(Number.MAX_SAFE_INTEGER);
    const together = Math.max(1, Math.floor(this.store.shards / Math.max(1, rows / ROWS_PER_BALANCE)));
    for (let first = 0; first < this.store.shards; first += together) {
      const shards = range(first, Math.min(first + together, this.store.shards));
      const tally = new Tally();
      await this.store.balance({
        shards,
        row: (row) => tally.add(row),
        settle: (stored) => {
          const { findings, corrections } = tally.compare(stored);
          for (const f of findings) report.add(f.kind === 'counter' ? { ...f, repaired: repair } : f);
          return repair && findings.length > 0 ? corrections : null;
        },
        exclusive: repair,
      });
      onProgress?.({
        phase: 'counters',
        share: (first + shards.length) / this.store.shards,
        rows,
        found: report.report().differences,
      });
    }
    report.check('counters');
  }

  private async positions({ onProgress }: AuditOptions, report: ReportBuilder): Promise<void> {
    for (let shard = 0; shard < this.store.shards; shard += 1) {
      const tell = (share: number): void =>
        onProgress?.({
          phase: 'positions',
          share: (shard + share) / this.store.shards,
          rows: report.rows,
          found: report.report().differences,
        });
      const check = await this.store.positions(shard, tell);
      if (!isSound(check)) report.add({ kind: 'positions', ...check });
      tell(1);
    }
    report.check('positions');
  }
}

export interface AuditStep {
  readonly report: AuditReport;
  readonly next: string | null;
}

export interface BalanceOptions {
  readonly repair?: boolean;
  readonly onProgress?: (progress: AuditProgress) => void;
  readonly report: ReportBuilder;
}

function isSound({ duplicates, beyond, missing }: PositionCheck): boolean {
  return duplicates === 0 && beyond === 0 && (missing ?? 0) === 0;
}

/** Keys are hashes, so the first 32 bits of the last key say how much of the space is behind. */
export function shareOf(lastKey: string | null): number {
  return lastKey === null ? 1 : Number.parseInt(lastKey.slice(0, 8), 16) / 2 ** 32;
}

function randomKey(): string {
  return Array.from({ length: 8 }, () =>
    Math.floor(Math.random() * 65_536)
      .toString(16)
      .padStart(4, '0'),
  ).join('');
}

function range(from: number, to: number): number[] {
  return Array.from({ length: to - from }, (_, i) => from + i);
}
