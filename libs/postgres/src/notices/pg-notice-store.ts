import type { ClaimedNotice, Gathered, NoticeStore, NoticeWindow, ReconciliationRow } from '#libs/application';
import { jobKeyHex } from '#libs/contracts';
import { hexes, texts } from '../arrays.js';
import type { Database } from '../database.js';

/** Until the commit; whoever comes meanwhile finds nothing to do. */
const TURN = `SELECT pg_try_advisory_xact_lock(hashtextextended('jobwarden.stuck_notices', 0)) AS mine`;

/** Runs that commit late are of the next window: what counts is that none is passed over. */
const UNTOLD = `
SELECT run_id, (extract(epoch FROM started_at) * 1000)::bigint AS started_ms,
       (extract(epoch FROM clock_timestamp()) * 1000)::bigint AS now_ms, trigger, rows
FROM jobwarden.reconciliations WHERE NOT noticed ORDER BY run_id LIMIT 1000`;

const TOLD = `UPDATE jobwarden.reconciliations SET noticed = true WHERE run_id = ANY ($1::bigint[])`;

const KEEP = `
INSERT INTO jobwarden.stuck_notices (notice_id, webhook, message)
SELECT * FROM unnest($1::text[], $2::text[], $3::text[]) ON CONFLICT DO NOTHING`;

/** In key order, as whoever finds them stuck writes them. A run that a replica kept which does not name its jobs leaves them to this. */
const GATHERED = `
INSERT INTO jobwarden.stuck_jobs (job_key, notice_id, run_id)
SELECT job_key, notice_id, $3 FROM unnest($1::bytea[], $2::text[]) AS j (job_key, notice_id) ORDER BY job_key
ON CONFLICT (job_key) DO UPDATE SET notice_id = excluded.notice_id`;

const CLAIM = `
WITH due AS (
  SELECT notice_id, webhook FROM jobwarden.stuck_notices
  WHERE next_at <= clock_timestamp() ORDER BY next_at LIMIT $1 FOR UPDATE SKIP LOCKED)
UPDATE jobwarden.stuck_notices n
SET tries = n.tries + 1, claim = gen_random_uuid(),
    next_at = clock_timestamp() + make_interval(secs => $2::float8 / 1000)
FROM due WHERE n.notice_id = due.notice_id AND n.webhook = due.webhook
RETURNING n.notice_id AS id, n.webhook, n.message, n.tries, n.claim::text AS claim`;

const MINE = `notice_id = $1 AND webhook = $2 AND claim = $3::uuid`;
const FINISH = `DELETE FROM jobwarden.stuck_notices WHERE ${MINE}`;
const POSTPONE = `
UPDATE jobwarden.stuck_notices SET claim = NULL, next_at = clock_timestamp() + make_interval(secs => $4::float8 / 1000)
WHERE ${MINE}`;

export class PgNoticeStore implements NoticeStore {
  constructor(private readonly database: Database) {}

  async gather(
    windowMs: number,
    make: (rows: readonly ReconciliationRow[], window: NoticeWindow) => Gathered,
  ): Promise<number> {
    return await this.database.transaction(async (tx) => {
      const [turn] = await tx.query<{ mine: boolean }>(TURN);
      const runs = turn?.mine === true ? await tx.query<Run>(UNTOLD) : [];
      const [first] = runs;
      if (first === undefined || first.started_ms + windowMs > first.now_ms) return 0;
      const rows = runs.filter((run) => run.trigger !== 'dry-run').flatMap((run) => JSON.parse(run.rows) as ReconciliationRow[]);
      const { notices, jobs } = make(rows, { runId: first.run_id, fromMs: first.started_ms, toMs: first.now_ms });
      await tx.query(KEEP, [notices.map((n) => n.id), notices.map((n) => n.webhook), notices.map((n) => n.message)]);
      await tx.query(GATHERED, [hexes(jobs.map(({ ref }) => jobKeyHex(ref))), texts(jobs.map(({ noticeId }) => noticeId)), first.run_id]);
      await tx.query(TOLD, [runs.map((run) => run.run_id)]);
      return notices.length;
    });
  }

  async claim(limit: number, claimMs: number): Promise<readonly ClaimedNotice[]> {
    return await this.database.query<ClaimedNotice>(CLAIM, [limit, claimMs]);
  }

  async finish({ id, webhook, claim }: ClaimedNotice): Promise<void> {
    await this.database.query(FINISH, [id, webhook, claim]);
  }

  async postpone({ id, webhook, claim }: ClaimedNotice, inMs: number): Promise<void> {
    await this.database.query(POSTPONE, [id, webhook, claim, inMs]);
  }
}

interface Run {
  readonly run_id: number;
  readonly started_ms: number;
  readonly now_ms: number;
  readonly trigger: string;
  readonly rows: string;
}
