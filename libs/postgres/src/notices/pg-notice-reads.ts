import type { NoticeReads, NoticedRun, ReconciliationRow, WaitingNotice } from '#libs/application';
import type { JobRef } from '#libs/domain';
import type { Database } from '../database.js';

/** Of the last runs: their rows are text, and whoever asks has just seen the job stuck. */
const RUNS_NAMING = `
SELECT noticed, rows FROM jobwarden.reconciliations
WHERE run_id > (SELECT coalesce(max(run_id), 0) - 2000 FROM jobwarden.reconciliations)
  AND trigger <> 'dry-run' AND strpos(rows, $1) > 0
ORDER BY run_id DESC LIMIT 100`;

/** A notice names some jobs and counts the others: one that only counts may be of any of its queue. */
const WAITING = `
SELECT webhook, tries, tries > 0 AND claim IS NULL AS refused
FROM jobwarden.stuck_notices n, LATERAL (SELECT n.message::jsonb AS m) AS read
WHERE m->>'namespace' = $1 AND m->'data'->>'queue' = $2
  AND (m->'data'->'jobs' @> jsonb_build_array(jsonb_build_object('id', $3::text)) OR (m->'data'->>'more')::int > 0)
ORDER BY made_at DESC`;

export class PgNoticeReads implements NoticeReads {
  constructor(private readonly database: Database) {}

  async runsNaming(job: string): Promise<readonly NoticedRun[]> {
    const runs = await this.database.query<{ noticed: boolean; rows: string }>(RUNS_NAMING, [JSON.stringify(job)]);
    return runs.map(({ noticed, rows }) => ({ noticed, rows: JSON.parse(rows) as ReconciliationRow[] }));
  }

  async waiting({ namespace, queue, id }: JobRef): Promise<readonly WaitingNotice[]> {
    return await this.database.query<WaitingNotice>(WAITING, [namespace, queue, id]);
  }
}
