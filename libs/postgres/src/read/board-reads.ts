import type { BoardReads, IncidentFigures, IntakeOfQueue, RevisionOfQueue, WorkersOfQueue } from '#libs/application';
import type { Queryable } from '../database.js';
import * as sql from './board-statements.js';

export class PgBoardReads implements BoardReads {
  constructor(private readonly database: Queryable) {}

  async workers(): Promise<readonly WorkersOfQueue[]> {
    return await this.database.query<WorkersOfQueue>(sql.WORKERS);
  }

  async intake(): Promise<readonly IntakeOfQueue[]> {
    return await this.database.query<IntakeOfQueue>(sql.INTAKE);
  }

  async incidents(): Promise<IncidentFigures> {
    const causes = await this.database.query<IncidentFigures['causes'][number]>(sql.CAUSES);
    const queues = await this.database.query<IncidentFigures['queues'][number]>(sql.INCIDENTS_OF_QUEUES);
    return { causes, queues };
  }

  async revisions(sinceMs: number): Promise<readonly RevisionOfQueue[]> {
    return await this.database.query<RevisionOfQueue>(sql.REVISIONS, [sinceMs]);
  }

  async evidenceBytes(): Promise<number> {
    const [row] = await this.database.query<{ bytes: number }>(sql.EVIDENCE_BYTES);
    return row?.bytes ?? 0;
  }
}
