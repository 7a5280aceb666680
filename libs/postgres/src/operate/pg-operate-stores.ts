import type {
  ActionsSwitch,
  ClockReading,
  ClockStore,
  LevelOverride,
  LevelStore,
  SwitchStore,
} from '#libs/application';
import type { Action, Level } from '#libs/domain';
import type { Database } from '../database.js';
import type { QueueIds } from '../log/queue-ids.js';

const LEVELS_ALL = `
SELECT q.namespace, q.queue, l.action, l.level, l.file_level, l.reason, l.set_by, l.set_ms
FROM jobwarden.queue_levels l JOIN jobwarden.queues q USING (queue_id) ORDER BY q.namespace, q.queue, l.action`;

const LEVEL_SET = `
INSERT INTO jobwarden.queue_levels AS l (queue_id, action, level, file_level, reason, set_by, set_ms)
VALUES ($1, $2, $3, $4, $5, $6, jobwarden.lane_now())
ON CONFLICT (queue_id, action) DO UPDATE
SET level = excluded.level, file_level = excluded.file_level, reason = excluded.reason, set_by = excluded.set_by,
    set_ms = greatest(excluded.set_ms, l.set_ms)
RETURNING set_ms`;

/** Only as long as nobody has set it anew. */
const LEVEL_DROP = `
DELETE FROM jobwarden.queue_levels
WHERE queue_id = $1 AND action = $2 AND level = $3 AND file_level = $4 AND set_ms = $5`;

interface LevelRow {
  readonly namespace: string;
  readonly queue: string;
  readonly action: Action;
  readonly level: Level;
  readonly file_level: Level;
  readonly reason: string;
  readonly set_by: string;
  readonly set_ms: number;
}

export class PgLevelStore implements LevelStore {
  constructor(
    private readonly database: Database,
    private readonly queueIds: QueueIds,
  ) {}

  async all(): Promise<readonly LevelOverride[]> {
    const rows = await this.database.prepared<LevelRow>('levels_all', LEVELS_ALL, []);
    return rows.map(({ file_level: fileLevel, set_by: by, set_ms: setMs, ...rest }) => ({
      ...rest,
      fileLevel,
      by,
      setMs,
    }));
  }

  async set(override: Omit<LevelOverride, 'setMs'>): Promise<LevelOverride> {
    const { action, level, fileLevel, reason, by } = override;
    const values = [await this.idOf(override), action, level, fileLevel, reason, by];
    const [row] = await this.database.query<{ set_ms: number }>(LEVEL_SET, values);
    return { ...override, setMs: row?.set_ms ?? 0 };
  }

  async drop(override: LevelOverride): Promise<void> {
    const { action, level, fileLevel, setMs } = override;
    await this.database.query(LEVEL_DROP, [await this.idOf(override), action, level, fileLevel, setMs]);
  }

  private async idOf({ namespace, queue }: Pick<LevelOverride, 'namespace' | 'queue'>): Promise<number | undefined> {
    return (await this.queueIds.of([{ namespace, queue }])).get(`${namespace}\0${queue}`);
  }
}

const SWITCH_COLUMNS = `
actions_enabled AS enabled, actions_reason AS reason, actions_by AS by, actions_since_ms AS "sinceMs", restored,
CASE WHEN observe_until_ms > (SELECT jobwarden.lane_now()) THEN observe_until_ms END AS "observeUntilMs"`;
const SWITCH_READ = `SELECT ${SWITCH_COLUMNS} FROM jobwarden.installation`;
const SWITCH_SET = `
UPDATE jobwarden.installation SET actions_enabled = $1, actions_reason = $2, actions_by = $3, actions_since_ms = (SELECT jobwarden.lane_now()) RETURNING ${SWITCH_COLUMNS}`;

export class PgSwitchStore implements SwitchStore {
  constructor(private readonly database: Database) {}

  async read(): Promise<ActionsSwitch> {
    return switchOf(await this.database.query<ActionsSwitch>(SWITCH_READ));
  }

  async set({ enabled, reason, by }: ActionsSwitch): Promise<ActionsSwitch> {
    return switchOf(await this.database.query<ActionsSwitch>(SWITCH_SET, [enabled, reason, by]));
  }
}

function switchOf(rows: readonly ActionsSwitch[]): ActionsSwitch {
  const { enabled, reason, by, sinceMs, restored, observeUntilMs } = only(rows);
  return { enabled, reason, by, ...(sinceMs != null && { sinceMs }), ...(restored != null && { restored }), ...(observeUntilMs != null && { observeUntilMs }) };
}

const CLOCK_READ = `SELECT clock_mode AS mode, jobwarden.lane_now() AS now_ms FROM jobwarden.installation`;
/** What waits for a start is only reported when it starves: it does not stop the clock. */
const CLOCK_ADVANCE = `
WITH due AS (
  SELECT min(first.look_at_ms) AS ms FROM jobwarden.queues q CROSS JOIN LATERAL (
    SELECT j.look_at_ms FROM jobwarden.jobs j
    WHERE j.queue_id = q.queue_id AND j.look_at_ms <= $1 AND j.waits_for IS DISTINCT FROM 'start'
    ORDER BY j.look_at_ms LIMIT 1) first
  WHERE $2),
moved AS (
  UPDATE jobwarden.installation i SET clock_ms = greatest(i.clock_ms, least($1, coalesce(due.ms, $1)))
  FROM due WHERE i.clock_mode = 'manual' AND i.clock_ms <= $1
  RETURNING i.clock_mode AS mode, i.clock_ms AS now_ms),
lanes AS (
  UPDATE jobwarden.lanes l SET read_ms = greatest(l.read_ms, moved.now_ms) FROM moved
  WHERE l.lane >= 2 AND l.stopped IS NULL)
SELECT mode, now_ms FROM moved`;

interface ClockRow {
  readonly mode: 'real' | 'manual';
  readonly now_ms: number;
}

export class PgClockStore implements ClockStore {
  constructor(private readonly database: Database) {}

  async read(): Promise<ClockReading> {
    return reading(only(await this.database.query<ClockRow>(CLOCK_READ)));
  }

  async advance(nowMs: number, untilDue: boolean): Promise<ClockReading | null> {
    const [row] = await this.database.query<ClockRow>(CLOCK_ADVANCE, [nowMs, untilDue]);
    return row === undefined ? null : reading(row);
  }
}

function reading({ mode, now_ms: nowMs }: ClockRow): ClockReading {
  return { mode, nowMs };
}

function only<R>(rows: readonly R[]): R {
  const [row] = rows;
  if (row === undefined) throw new Error('the installation row is missing: run the migrations');
  return row;
}
