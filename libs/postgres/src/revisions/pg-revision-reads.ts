import type { HeldByRevision, RevisionReads, RevisionScope, SeenRevision } from '#libs/application';
import type { Queryable } from '../database.js';
import type { StoredHeld } from '../read/worker-reads.js';
import * as sql from './statements.js';

interface SeenRow {
  readonly queue: string | null;
  readonly revision: string;
  readonly workers: number;
  readonly running: number;
  readonly last_ms: number;
}

type HeldRow = Omit<StoredHeld, 'worker_id'>;

export class PgRevisionReads implements RevisionReads {
  constructor(private readonly database: Queryable) {}

  async seen(namespace: string, queue: string | null): Promise<readonly SeenRevision[]> {
    const rows = await this.database.query<SeenRow>(sql.SEEN, [namespace, queue]);
    return rows.map(({ last_ms: lastMs, ...row }) => ({ ...row, lastMs }));
  }

  async held({ namespace, queue, revision }: RevisionScope): Promise<readonly HeldByRevision[]> {
    // As it stands in JSON, without its quotes.
    const named = JSON.stringify(revision).slice(1, -1);
    const rows = await this.database.query<HeldRow>(sql.HELD, [namespace, queue, named]);
    return rows.map((row) => ({
      ref: { namespace: row.namespace, queue: row.queue, id: row.job_id },
      ...{ kind: row.kind, attempt: row.attempt, state: row.state },
      lease: row.beat_ms === null ? null : { beatMs: row.beat_ms, leaseMs: row.lease_ms },
    }));
  }
}
