import type { NoticeReads, StuckJob, WaitingNotice } from '#libs/application';
import { jobKey } from '#libs/contracts';
import type { JobRef } from '#libs/domain';
import type { Database } from '../database.js';

/** By three primary keys: who asks has just seen the job stuck, and asks each second until it was told. A run that is gone was gathered long ago. */
const FOUND = `
SELECT s.notice_id IS NOT NULL OR coalesce(r.noticed, true) AS gathered, n.webhook, n.tries, n.tries > 0 AND n.claim IS NULL AS refused
FROM jobwarden.stuck_jobs s
LEFT JOIN jobwarden.reconciliations r ON r.run_id = s.run_id
LEFT JOIN jobwarden.stuck_notices n ON n.notice_id = s.notice_id
WHERE s.job_key = $1`;

export class PgNoticeReads implements NoticeReads {
  constructor(private readonly database: Pick<Database, 'query'>) {}

  async found(ref: JobRef): Promise<StuckJob | null> {
    const rows = await this.database.query<FoundRow>(FOUND, [jobKey(ref)]);
    const [first] = rows;
    if (first === undefined) return null;
    return { gathered: first.gathered, waiting: rows.flatMap(({ webhook, tries, refused }) => (webhook === null ? [] : [{ webhook, tries, refused }])) };
  }
}

type FoundRow = { readonly gathered: boolean } & (WaitingNotice | { readonly webhook: null; readonly tries: null; readonly refused: null });
