import type { JobRef } from '#libs/domain';
import type { PositionCheck } from '../ports/audit-store.port.js';

/** One difference between the log and what is derived from it. */
export type Finding =
  /** The row differs from its fold; `fields` says where. */
  | {
      readonly kind: 'row';
      readonly ref: JobRef;
      readonly keyHex: string;
      readonly fields: readonly string[];
      readonly repaired: boolean;
    }
  /** Log entries whose job has no row: its name is not in the log, so it cannot be made again from here. */
  | { readonly kind: 'orphan'; readonly keyHex: string }
  /** A row that something was folded into, and no entry in the log. Never repaired: the row is what is left. */
  | { readonly kind: 'unlogged'; readonly ref: JobRef; readonly keyHex: string }
  /** Written by a newer program; not judged. */
  | { readonly kind: 'newer'; readonly ref: JobRef; readonly keyHex: string }
  | {
      readonly kind: 'counter';
      readonly namespace: string;
      readonly queue: string;
      readonly shard: number;
      /** A counter's name, or `run-time` with kind and bucket. */
      readonly counter: string;
      readonly stored: number;
      readonly expected: number;
      readonly repaired: boolean;
    }
  | ({ readonly kind: 'positions' } & PositionCheck);

export interface AuditReport {
  /** Rows compared with their fold. */
  readonly rows: number;
  readonly events: number;
  /** Rows that differed from their fold: the metric `projection_drift`. */
  readonly drifted: number;
  readonly repaired: number;
  /** Rows as their log says, but stored in an older version than the one in force. */
  readonly outdated: number;
  /** Of those, written anew in the one in force; only with repair. */
  readonly refolded: number;
  /** Everything that differs, rows included. 0 = the audit is clean. */
  readonly differences: number;
  /** At most {@link MAX_FINDINGS}; `differences` counts all. */
  readonly findings: readonly Finding[];
  /** What was compared besides rows. */
  readonly checked: readonly ('counters' | 'positions')[];
}

export const MAX_FINDINGS = 100;

/** Gathers a report in bounded memory. */
export class ReportBuilder {
  rows = 0;
  events = 0;
  outdated = 0;
  refolded = 0;
  private drifted = 0;
  private repaired = 0;
  private differences = 0;
  private readonly findings: Finding[] = [];
  private readonly checked: ('counters' | 'positions')[] = [];

  add(finding: Finding): void {
    this.differences += 1;
    if (finding.kind === 'row') {
      this.drifted += 1;
      if (finding.repaired) this.repaired += 1;
    }
    if (this.findings.length < MAX_FINDINGS) this.findings.push(finding);
  }

  check(what: 'counters' | 'positions'): void {
    this.checked.push(what);
  }

  report(): AuditReport {
    const { rows, events, drifted, repaired, outdated, refolded, differences, findings, checked } = this;
    return { rows, events, drifted, repaired, outdated, refolded, differences, findings, checked };
  }
}

export interface AuditProgress {
  readonly phase: 'rows' | 'counters' | 'positions' | 'schedules';
  /** 0 to 1, of this phase. */
  readonly share: number;
  readonly rows: number;
  readonly found: number;
}
