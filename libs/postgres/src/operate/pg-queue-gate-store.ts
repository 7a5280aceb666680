import type { GateChange, QueueGate, QueueGateStore, RunAt } from '#libs/application';
import type { Database, Queryable } from '../database.js';
import type { QueueIds } from '../log/queue-ids.js';
import { runStands } from '../saga/run-stands.js';
import { PERMITS } from './permits.js';

const COLUMNS = 'n, gate, per_second, reason, set_by, set_ms, resumed_ms';

const ALL = `
SELECT q.namespace, q.queue, ${COLUMNS} FROM jobwarden.queue_gates g JOIN jobwarden.queues q USING (queue_id)`;

/** $6: where its last decision is that one, 0 for none; null: whatever it is. What a pause has held comes up at once, but for rows that somebody is at: those are looked at again soon. */
const SET = `
WITH now AS MATERIALIZED (SELECT jobwarden.lane_now() AS ms),
made AS (
  INSERT INTO jobwarden.queue_gates AS g (queue_id, n, gate, per_second, reason, set_by, set_ms, permits, permits_ms)
  SELECT $1, 1, $2, $3, $4, $5, ms, 1, ms FROM now
  WHERE $6::integer IS NULL OR $6 = coalesce((SELECT n FROM jobwarden.queue_gates WHERE queue_id = $1), 0)
  ON CONFLICT (queue_id) DO UPDATE
  SET n = g.n + 1, gate = excluded.gate, per_second = excluded.per_second, reason = excluded.reason,
      set_by = excluded.set_by, set_ms = excluded.set_ms, permits = excluded.permits, permits_ms = excluded.permits_ms,
      resumed_ms = CASE WHEN g.gate = 'paused' AND excluded.gate <> 'paused' THEN excluded.set_ms ELSE g.resumed_ms END
  WHERE $6 IS NULL OR g.n = $6
  RETURNING g.*),
kept AS (
  INSERT INTO jobwarden.queue_decisions (queue_id, n, type, per_second, reason, made_by, made_ms)
  SELECT queue_id, n, CASE gate WHEN 'open' THEN 'resumed' ELSE gate END, per_second, reason, set_by, set_ms FROM made),
held AS MATERIALIZED (
  SELECT j.ctid AS place FROM jobwarden.jobs j, made
  WHERE made.gate <> 'paused' AND j.queue_id = made.queue_id AND j.held_since_ms IS NOT NULL AND j.held_by = 'paused'
  ORDER BY j.job_key FOR UPDATE OF j SKIP LOCKED),
woken AS (
  UPDATE jobwarden.jobs j SET look_at_ms = now.ms, row_version = j.row_version + 1
  FROM held, now WHERE j.ctid = held.place)
SELECT ${COLUMNS} FROM made`;

/** Nobody knows how long a pause lasts; whoever asks hears of it by then. */
const PAUSED_MS = 1_000;
const WAIT = `
SELECT CASE gate WHEN 'open' THEN 0 WHEN 'paused' THEN ${String(PAUSED_MS)} ELSE ceil(greatest(0, 1 - ${PERMITS}) / per_second * 1000) END::integer AS wait_ms
FROM jobwarden.queue_gates WHERE queue_id = $1`;

interface GateRow {
  readonly namespace: string;
  readonly queue: string;
  readonly n: number;
  readonly gate: QueueGate['gate'];
  readonly per_second: number | null;
  readonly reason: string;
  readonly set_by: string;
  readonly set_ms: number;
  readonly resumed_ms: number;
}

export class PgQueueGateStore implements QueueGateStore {
  constructor(
    private readonly database: Database,
    private readonly queueIds: QueueIds,
  ) {}

  async all(): Promise<readonly QueueGate[]> {
    return (await this.database.prepared<GateRow>('gates_all', ALL, [])).map(gateOf);
  }

  async set(change: GateChange): Promise<QueueGate> {
    const gate = await set(this.database, await this.idOf(change), change, null);
    if (gate === null) throw new Error('a gate that was set was not answered');
    return gate;
  }

  async setFor(run: RunAt, judged: QueueGate | null, change: GateChange): Promise<QueueGate | null> {
    const id = await this.idOf(change);
    return await this.database.transaction(async (tx) => ((await runStands(tx, run)) ? await set(tx, id, change, judged?.n ?? 0) : null));
  }

  async untilPermit(queue: Pick<QueueGate, 'namespace' | 'queue'>): Promise<number> {
    const [row] = await this.database.prepared<{ wait_ms: number }>('gate_wait', WAIT, [await this.idOf(queue)]);
    return row?.wait_ms ?? 0;
  }

  private async idOf({ namespace, queue }: Pick<QueueGate, 'namespace' | 'queue'>): Promise<number | undefined> {
    return (await this.queueIds.of([{ namespace, queue }])).get(`${namespace}\0${queue}`);
  }
}

async function set(tx: Queryable, queueId: number | undefined, change: GateChange, judgedN: number | null): Promise<QueueGate | null> {
  const { namespace, queue, gate, perSecond, reason, by } = change;
  const [row] = await tx.query<GateRow>(SET, [queueId, gate, perSecond, reason, by, judgedN]);
  return row === undefined ? null : gateOf({ ...row, namespace, queue });
}

function gateOf(row: GateRow): QueueGate {
  const { namespace, queue, n, gate, per_second: perSecond, reason, set_by: by, set_ms: setMs, resumed_ms: resumedMs } = row;
  return { namespace, queue, n, gate, perSecond, reason, by, setMs, resumedMs };
}
