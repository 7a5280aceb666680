import type { Audit } from './audit.js';
import type { AuditReport } from './audit-report.js';

export interface RoundTurn {
  readonly report: AuditReport;
  /** This turn reached the last row: every row that was there during the whole round has been compared. */
  readonly roundEnded: boolean;
}

/**
 * Auditing in the background, a few rows a turn, round and round: whatever differs is found within one round. The place
 * is kept in memory; a restart begins a new round.
 *
 * A round takes rows / rowsPerTurn turns. A turn reads the rows and their log in one short snapshot.
 */
export class AuditRound {
  private after: string | null = null;

  constructor(
    private readonly audit: Pick<Audit, 'step'>,
    private readonly options: { readonly rowsPerTurn: number; readonly repair: boolean },
  ) {}

  async turn(): Promise<RoundTurn> {
    const { report, next } = await this.audit.step(
      { after: this.after, limit: this.options.rowsPerTurn },
      this.options.repair,
    );
    this.after = next;
    return { report, roundEnded: next === null };
  }
}
