import type { QuarantineDesk, QuarantinedMessage, QuarantineState } from '#libs/application';
import type { Database } from '../database.js';

const ONE = `
SELECT quarantine_id AS id, lane, origin, reason, detail, namespace, queue, job_id, content_type, bytes, outcome
FROM jobwarden.quarantine WHERE quarantine_id = $1`;

const CLOSE = `
UPDATE jobwarden.quarantine SET outcome = $2, closed_by = $3, closed_reason = $4, closed_at = now()
WHERE quarantine_id = $1 AND outcome = 'open' RETURNING 1`;

const KEEP_OPEN = `
UPDATE jobwarden.quarantine SET reason = $2, detail = $3 WHERE quarantine_id = $1 AND outcome = 'open'`;

interface EntryRow {
  readonly id: number;
  readonly lane: number;
  readonly origin: string;
  readonly reason: string;
  readonly detail: string;
  readonly namespace: string | null;
  readonly queue: string | null;
  readonly job_id: string | null;
  readonly content_type: string;
  readonly bytes: Buffer;
  readonly outcome: QuarantineState;
}

export class PgQuarantineDesk implements QuarantineDesk {
  constructor(private readonly database: Database) {}

  async one(id: string): Promise<QuarantinedMessage | null> {
    if (!isId(id)) return null;
    const [row] = await this.database.query<EntryRow>(ONE, [id]);
    if (row === undefined) return null;
    const { lane, origin, reason, detail, namespace, queue, job_id: jobId, bytes } = row;
    return {
      id,
      lane,
      origin,
      reason,
      detail,
      namespace,
      ref: namespace === null || queue === null || jobId === null ? null : { namespace, queue, id: jobId },
      contentType: row.content_type,
      bytes,
      state: row.outcome,
    };
  }

  async close(
    id: string,
    { state, by, reason }: { readonly state: 'replayed' | 'dismissed'; readonly by: string; readonly reason: string },
  ): Promise<boolean> {
    if (!isId(id)) return false;
    return (await this.database.query(CLOSE, [id, state, by, reason])).length === 1;
  }

  async keepOpen(id: string, { reason, detail }: { readonly reason: string; readonly detail: string }): Promise<void> {
    if (isId(id)) await this.database.query(KEEP_OPEN, [id, reason, detail.replaceAll('\0', '\\0')]);
  }
}

/** Ids come from addresses: what is no number names no entry. */
function isId(id: string): boolean {
  return /^\d{1,18}$/.test(id);
}
