import { REPLICA_BEAT_EVERY_MS, REPLICA_DEAD_AFTER_MS, type LaneClock, type LaneReading, type TransportReading } from '#libs/application';
import { NEWEST_FOLD_VERSION, knowsFoldVersion, unknownFold } from '#libs/domain';
import type { Database } from '../database.js';
import { GAPS, gapsOf, type GapsRow } from './gaps.js';
import { MAY_ACT } from '../recovery/may-act.js';
import { TAKES_IN } from './takes-in.js';

/**
 * A replica says that it lives. One that takes requests and finds no other alive ends a gap: leases of the HTTP lane
 * then run again.
 */
const BEAT = `
WITH quiet AS (
  SELECT coalesce(max(beat_at) < clock_timestamp() - make_interval(secs => $5::float8 / 1000), false) AS gap
  FROM jobwarden.replicas WHERE ${TAKES_IN}),
gap AS (
  UPDATE jobwarden.lanes SET gap_end_ms = jobwarden.lane_now()
  WHERE lane = 0 AND (SELECT gap FROM quiet) AND 'api' = ANY (string_to_array($4::text, ','))
    AND (SELECT clock_mode = 'real' FROM jobwarden.installation)
  RETURNING 1),
me AS (
  INSERT INTO jobwarden.replicas AS r (replica_id, http_read_ms, fold_version, roles, name, refusals_read, beat_at)
  VALUES ($1, $2, $3, $4, $6, $7, clock_timestamp())
  ON CONFLICT (replica_id) DO UPDATE
  SET beat_at = clock_timestamp(), http_read_ms = greatest(r.http_read_ms, excluded.http_read_ms), refusals_read = excluded.refusals_read
  RETURNING 1)
SELECT jobwarden.lane_now() AS now_ms, (SELECT count(*) FROM gap) AS gaps, (SELECT count(*) FROM me) AS me,
  (SELECT fold_version FROM jobwarden.installation) AS fold_version`;

/**
 * While nobody alive takes requests, as when this process has been stopped for a while and has not beaten since, the
 * lane is read as far as the last one said: what was sent meanwhile lies in some socket.
 */
const READ = `
SELECT jobwarden.lane_now() AS now_ms, i.epoch, ${MAY_ACT} AS actions_enabled, g.*, k.read_ms AS kafka_read_ms, k.name AS kafka_lane,
  CASE WHEN r.taking THEN r.least_ms ELSE r.last_ms END AS http_read_ms
FROM jobwarden.installation i CROSS JOIN ${GAPS} g CROSS JOIN (
  SELECT min(http_read_ms) FILTER (WHERE alive AND ${TAKES_IN}) AS least_ms, max(http_read_ms) FILTER (WHERE ${TAKES_IN}) AS last_ms,
         coalesce(bool_or(alive AND ${TAKES_IN}), false) AS taking
  FROM (SELECT http_read_ms, roles, beat_at > clock_timestamp() - make_interval(secs => $1::float8 / 1000) AS alive
        FROM jobwarden.replicas) known) r
LEFT JOIN LATERAL (
  SELECT read_ms, name FROM jobwarden.lanes WHERE lane >= 2 AND holds ORDER BY read_ms, lane LIMIT 1) k ON true`;

/** The gap that a starting replica has found ends only now. */
const OPENED = `
UPDATE jobwarden.lanes SET gap_end_ms = greatest(gap_end_ms, jobwarden.lane_now())
WHERE lane = 0 AND (SELECT clock_mode = 'real' FROM jobwarden.installation)`;

const LEAVE = `DELETE FROM jobwarden.replicas WHERE replica_id = $1`;
/** The last one that took requests stays: it says how far they have been read. */
const FORGET = `
DELETE FROM jobwarden.replicas WHERE beat_at < clock_timestamp() - interval '1 hour' AND replica_id <> $1
  AND beat_at < (SELECT max(beat_at) FROM jobwarden.replicas WHERE ${TAKES_IN})`;

interface ReadRow extends GapsRow {
  readonly now_ms: number;
  readonly epoch: number;
  readonly actions_enabled: boolean;
  readonly http_read_ms: number | null;
  readonly kafka_read_ms: number | null;
  readonly kafka_lane: string | null;
}

export interface LaneClockOptions {
  /** By which a person knows this replica: host and process. Default: none. */
  readonly name?: string;
  /** By which version of the list of refused revisions this replica grants claims. Default: it has read none. */
  readonly refusalsRead?: () => number;
  /** A beat failed; the next one is made all the same. */
  readonly onError?: (error: unknown) => void;
}

/**
 * How far HTTP has been read, across replicas.
 *
 * Each replica keeps the requests in flight with the newest lane time it knew when they came: a lower bound of when
 * they arrived. After a beat has brought the lane time T, it may say: read up to the least of those bounds, or up to T
 * when none is in flight. The next beat carries that to the others, so the reading lags by at most two beats.
 *
 * The row of a replica that leaves stays, so that a quick restart is no gap; it stops counting after
 * REPLICA_DEAD_AFTER_MS. A replica that is paused longer than that is taken for dead; what it then still appends is
 * late, and fencing, not the watermark, answers it.
 */
export class PgLaneClock implements LaneClock {
  private knownMs = 0;
  private sayMs = 0;
  private inForce = NEWEST_FOLD_VERSION;
  private readonly inFlight = new Map<symbol, number>();
  private timer: NodeJS.Timeout | null = null;
  private beating: Promise<void> | null = null;
  private gaps = 0;
  /** While a replica starts after a gap: nobody else takes requests, and it does not yet. */
  private closed: (() => void) | null = null;

  constructor(
    private readonly database: Database,
    private readonly replicaId: string,
    private readonly roles: string,
    private readonly options: LaneClockOptions = {},
  ) {}

  /** A request has arrived; call the answer when it has been appended or answered. */
  enter(): () => void {
    const key = Symbol('request');
    this.inFlight.set(key, this.knownMs);
    return () => this.inFlight.delete(key);
  }

  /**
   * Beats twice at once: a quick restart is known as one, and nobody waits for what this replica has read. After a gap the lane
   * stays as far as it was read until {@link opened}: heartbeats are still refused.
   */
  async start(): Promise<void> {
    await this.beat();
    if (this.gaps > 0) this.closed = this.enter();
    await this.beat();
    await this.database.query(FORGET, [this.replicaId]);
    const tick = (): void => {
      this.timer = setTimeout(() => {
        void this.beat()
          .catch((error: unknown) => this.options.onError?.(error))
          .finally(() => {
            if (this.timer !== null) tick();
          });
      }, REPLICA_BEAT_EVERY_MS);
    };
    tick();
  }

  /** Requests are answered from now on. Where {@link start} found a gap, leases run again in full from here. Idempotent. */
  async opened(): Promise<void> {
    if (this.closed === null) return;
    await this.database.query(OPENED);
    this.closed();
    this.closed = null;
  }

  /** The row stays: a quick restart finds it, and sees that there was no gap. */
  async stop(): Promise<void> {
    if (this.timer !== null) clearTimeout(this.timer);
    this.timer = null;
    await this.beating?.catch(() => undefined);
  }

  /** The row goes too: others need not wait for what this replica has read. */
  async leave(): Promise<void> {
    await this.stop();
    await this.database.query(LEAVE, [this.replicaId]);
  }

  /** Why this program can do nothing on the database any more, as the last beat found it; null: it can. */
  get leftBehind(): string | null {
    return knowsFoldVersion(this.inForce) ? null : unknownFold('rows are', this.inForce);
  }

  /** One beat; two in a row bring everything answered before the first to all replicas. */
  async beat(): Promise<void> {
    await this.beating?.catch(() => undefined);
    this.beating = this.beatOnce();
    await this.beating;
  }

  /** Two beats: the first brings the time, the second says that everything before it has been read. */
  async refresh(): Promise<void> {
    await this.beat();
    await this.beat();
  }

  private async beatOnce(): Promise<void> {
    const [row] = await this.database.prepared<{ now_ms: number; gaps: number; fold_version: number }>('replica_beat', BEAT, [
      this.replicaId,
      this.sayMs,
      NEWEST_FOLD_VERSION,
      this.roles,
      REPLICA_DEAD_AFTER_MS,
      this.options.name ?? '',
      this.options.refusalsRead?.() ?? 0,
    ]);
    if (row === undefined) return;
    this.gaps += row.gaps;
    this.inForce = row.fold_version;
    this.sayMs = Math.min(row.now_ms, ...this.inFlight.values());
    this.knownMs = row.now_ms;
  }

  async read(): Promise<LaneReading> {
    const [row] = await this.database.prepared<ReadRow>('lane_read', READ, [REPLICA_DEAD_AFTER_MS]);
    if (row === undefined) throw new Error('the installation row is missing: run the migrations');
    const gaps = gapsOf(row);
    return {
      nowMs: row.now_ms,
      actionsEnabled: row.actions_enabled,
      epoch: row.epoch,
      http: { readMs: Math.min(row.http_read_ms ?? row.now_ms, row.now_ms), gapEndMs: gaps.http, heldBy: 'http' },
      kafka: kafkaReading(row, gaps.kafka),
    };
  }
}

/** Not cut off at the database's time: a broker's clock may be ahead, and so are then the lease ends that it stamps. */
function kafkaReading({ kafka_read_ms: readMs, kafka_lane: heldBy }: ReadRow, gapEndMs: number): TransportReading | null {
  return readMs === null || heldBy === null ? null : { readMs, gapEndMs, heldBy };
}
