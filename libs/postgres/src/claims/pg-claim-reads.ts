import type { AttachmentRequest, Attachments, ClaimReads } from '#libs/application';
import type { Database } from '../database.js';

/** The payload by its hash, the progress last told below the attempt, and where its grant lies in the log. */
const ATTACHMENTS = `
SELECT (SELECT convert_from(b.bytes, 'UTF8') FROM jobwarden.bodies b
        WHERE b.period = $2 AND b.job_key = $1 AND b.hash = $4) AS payload,
       (SELECT l.progress FROM jobwarden.leases l
        WHERE l.job_key = $1 AND l.attempt < $3 AND l.progress IS NOT NULL ORDER BY l.attempt DESC LIMIT 1) AS progress,
       g.shard, g.number
FROM (SELECT) AS one
LEFT JOIN jobwarden.events g ON g.period = $2 AND g.job_key = $1 AND g.event_key = $5`;

interface Row {
  readonly payload: string | null;
  readonly progress: string | null;
  readonly shard: number | null;
  readonly number: number | null;
}

export class PgClaimReads implements ClaimReads {
  constructor(private readonly database: Database) {}

  async attachments({ keyHex, period, attempt, payloadHash, grantKey }: AttachmentRequest): Promise<Attachments> {
    const [row] = await this.database.prepared<Row>('claim_attachments', ATTACHMENTS, [
      bytesOf(keyHex),
      period,
      attempt,
      payloadHash === null ? null : bytesOf(payloadHash),
      grantKey === null ? null : bytesOf(grantKey),
    ]);
    const { payload = null, progress = null, shard = null, number = null } = row ?? {};
    return { payload, progress, grant: shard === null || number === null ? null : { shard, number } };
  }
}

function bytesOf(hex: string): Buffer {
  return Buffer.from(hex, 'hex');
}
