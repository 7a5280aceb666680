import type { Lane, LaneEnd, LaneMove, LaneStore, LaneWanted, StoredLane } from '#libs/application';
import { ints, rowsOf, texts } from '../arrays.js';
import type { Database } from '../database.js';
import { MOVE_LANES, moveArrays } from './move-lane.js';

/** A number for each name that has none, the next ones free. */
const OPEN = `
INSERT INTO jobwarden.lanes (lane, name, next, origin)
SELECT (SELECT max(lane) FROM jobwarden.lanes) + row_number() OVER (ORDER BY w.place), w.name, w.start, w.origin
FROM unnest($1::text[], $2::bigint[], $3::text[]) WITH ORDINALITY AS w (name, start, origin, place)
WHERE NOT EXISTS (SELECT FROM jobwarden.lanes l WHERE l.name = w.name)`;

/** What was given up is not read: verdicts do not wait for it, so an event of it could come too late for one. */
const LANES = `
SELECT l.lane, l.name, l.next, l.read_ms, l.origin, l.sought,
       coalesce(l.stopped, CASE WHEN NOT l.holds THEN 'given up by an operator' END) AS stopped
FROM unnest($1::text[]) WITH ORDINALITY AS w (name, place) JOIN jobwarden.lanes l ON l.name = w.name ORDER BY w.place`;

const STOP = `
UPDATE jobwarden.lanes SET stopped = coalesce(stopped, $2) WHERE lane = $1 AND next = $3 AND origin = $4 RETURNING lane`;

const TOLD = `
UPDATE jobwarden.lanes l SET end_at = w.end_at
FROM ${rowsOf({ name: 'text', end_at: 'bigint' })} AS w
WHERE l.name = w.name AND l.end_at IS DISTINCT FROM w.end_at`;

interface LaneRow {
  readonly lane: number;
  readonly name: string;
  readonly next: number;
  readonly read_ms: number;
  readonly origin: string;
  readonly sought: boolean;
  readonly stopped: string | null;
}

export class PgLaneStore implements LaneStore {
  constructor(private readonly database: Database) {}

  async open(wanted: readonly LaneWanted[]): Promise<readonly StoredLane[]> {
    if (wanted.length === 0) return [];
    const names = texts(wanted.map((w) => w.name));
    const known = await this.database.query<LaneRow>(LANES, [names]);
    if (known.length === wanted.length) return known.map(storedLane);
    return await this.database.transaction(async (tx) => {
      await tx.query(`SELECT pg_advisory_xact_lock(hashtextextended('jobwarden.lanes', 0))`);
      await tx.query(OPEN, [names, ints(wanted.map((w) => w.start)), texts(wanted.map((w) => w.origin))]);
      return (await tx.query<LaneRow>(LANES, [names])).map(storedLane);
    });
  }

  async advance(moves: readonly LaneMove[]): Promise<readonly Lane[]> {
    if (moves.length === 0) return [];
    const rows = await this.database.prepared<{ lane: number }>('move_lanes', MOVE_LANES, moveArrays(moves));
    const moved = new Set(rows.map((r) => r.lane));
    return moves.map((m) => m.lane).filter((lane) => !moved.has(lane));
  }

  async stop({ lane, next, origin }: StoredLane, why: string): Promise<boolean> {
    return (await this.database.query(STOP, [lane, why, next, origin])).length > 0;
  }

  async told(ends: readonly LaneEnd[]): Promise<void> {
    if (ends.length === 0) return;
    await this.database.prepared('lane_ends', TOLD, [texts(ends.map((e) => e.name)), ints(ends.map((e) => e.end))]);
  }
}

function storedLane({ read_ms: readMs, ...row }: LaneRow): StoredLane {
  return { ...row, readMs };
}
