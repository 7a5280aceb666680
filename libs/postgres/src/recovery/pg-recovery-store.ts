import type { LanePlace, Recovered, RecoverRequest, RecoveryStanding, RecoveryStore } from '#libs/application';
import { nextEpoch } from '#libs/domain';
import type { Database, Queryable } from '../database.js';

/** The timeline tells a promoted standby, which may lack what was acknowledged; the others a copy or a dump. */
const IDENTITY = `(
  SELECT s.system_identifier::text AS system_identifier, c.timeline_id AS timeline, d.oid::bigint AS database_oid,
         'jobwarden.events'::regclass::oid::bigint AS log_oid
  FROM pg_control_system() s, pg_control_checkpoint() c, pg_database d WHERE d.datname = current_database())`;

const KEEP = `
UPDATE jobwarden.installation i
SET system_identifier = n.system_identifier, timeline = n.timeline, database_oid = n.database_oid, log_oid = n.log_oid
FROM ${IDENTITY} n WHERE i.system_identifier IS NULL`;

const NOTE = `
UPDATE jobwarden.installation i
SET restored_ms = jobwarden.lane_now(), restored = CASE
  WHEN i.system_identifier <> n.system_identifier THEN 'it is on another server'
  WHEN i.database_oid <> n.database_oid THEN 'it is a copy of another database of this server'
  WHEN i.log_oid <> n.log_oid THEN 'its log was loaded from a dump'
  ELSE 'its server is on timeline ' || n.timeline || ', and was on ' || i.timeline END
FROM ${IDENTITY} n
WHERE i.restored IS NULL AND i.system_identifier IS NOT NULL AND (i.system_identifier, i.timeline, i.database_oid, i.log_oid)
  IS DISTINCT FROM (n.system_identifier, n.timeline, n.database_oid, n.log_oid)`;

const READ = `
SELECT i.restored, i.observe_until_ms, jobwarden.lane_now() AS now_ms, i.epoch,
       (extract(epoch FROM clock_timestamp()) * 1000)::bigint AS real_ms
FROM jobwarden.installation i`;

const RECOVER = `
UPDATE jobwarden.installation i
SET epoch = $1, restored = NULL, restored_ms = NULL, observe_until_ms = jobwarden.lane_now() + $2,
    system_identifier = n.system_identifier, timeline = n.timeline, database_oid = n.database_oid, log_oid = n.log_oid
FROM ${IDENTITY} n RETURNING i.epoch, i.observe_until_ms`;

const LANES = `SELECT name AS lane, next FROM jobwarden.lanes WHERE lane >= 2 ORDER BY name`;
const REWIND = `UPDATE jobwarden.lanes SET next = $2, stopped = NULL, sought = true WHERE name = $1 AND lane >= 2 RETURNING 1`;
/** As after a time in which nobody could have read a heartbeat: leases run again in full. */
const GAP = `UPDATE jobwarden.lanes SET gap_end_ms = greatest(gap_end_ms, jobwarden.lane_now())`;

interface StandingRow {
  readonly restored: string | null;
  readonly observe_until_ms: number;
  readonly now_ms: number;
  readonly epoch: number;
  readonly real_ms: number;
}

export class PgRecoveryStore implements RecoveryStore {
  constructor(private readonly database: Database) {}

  async notice(): Promise<RecoveryStanding> {
    return await noticed(this.database);
  }

  async recover(request: RecoverRequest): Promise<Recovered> {
    await this.notice();
    return await this.database.transaction(async (tx) => await once(tx, request));
  }

  async foresee(request: RecoverRequest): Promise<Recovered> {
    const foreseen: Recovered[] = [];
    const back = new Error('taken back');
    const taken = this.database.transaction(async (tx) => {
      await noticed(tx);
      foreseen.push(await once(tx, request));
      throw back;
    });
    await taken.catch((error: unknown) => {
      if (error !== back) throw error;
    });
    const [outcome] = foreseen;
    if (outcome === undefined) throw back;
    return outcome;
  }
}

async function noticed(db: Queryable): Promise<RecoveryStanding> {
  await db.prepared('recovery_keep', KEEP, []);
  await db.prepared('recovery_note', NOTE, []);
  const [row] = await db.prepared<StandingRow>('recovery_read', READ, []);
  if (row === undefined) throw new Error('the installation row is missing: run the migrations');
  return { restored: row.restored, observeUntilMs: row.observe_until_ms, nowMs: row.now_ms };
}

async function once(tx: Queryable, { observeMs, rewinds, force }: RecoverRequest): Promise<Recovered> {
  const [row] = await tx.query<StandingRow>(`${READ} FOR UPDATE OF i`);
  if (row === undefined) throw new Error('the installation row is missing: run the migrations');
  if (row.restored === null && !force) {
    return { kind: 'refused', code: 'not_restored', detail: 'nothing shows that this database was restored; say --force where you know better' };
  }
  const places = await tx.query<{ readonly lane: string; readonly next: number }>(LANES);
  const strange = rewinds.find(({ lane }) => !places.some((place) => place.lane === lane));
  if (strange !== undefined) return { kind: 'refused', code: 'lane_unknown', detail: `there is no lane ${JSON.stringify(strange.lane)} that is read by position` };
  for (const { lane, next } of rewinds) await tx.query(REWIND, [lane, next]);
  await tx.query(GAP);
  const [now] = await tx.query<{ epoch: number; observe_until_ms: number }>(RECOVER, [nextEpoch(row.epoch, row.real_ms), observeMs]);
  const lanes = places.map(({ lane, next }): LanePlace => {
    const to = rewinds.findLast((rewind) => rewind.lane === lane)?.next;
    return to === undefined ? { lane, next, from: null } : { lane, next: to, from: next };
  });
  return { kind: 'recovered', restored: row.restored, epoch: now?.epoch ?? 0, observeUntilMs: now?.observe_until_ms ?? 0, lanes };
}
