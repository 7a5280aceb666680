import type { DecideStep, IncidentStore, OpenIncident, StepGround, StoredIncident } from '#libs/application';
import { incidentKey, shardOf } from '#libs/contracts';
import type { IncidentIdentity, IncidentKind, IncidentStep } from '#libs/domain';
import { BEGIN_BY_KEY, type Database, type Queryable } from '../database.js';
import type { QueueIds } from '../log/queue-ids.js';
import { takeNumbers } from '../log/write-back.js';
import { rowId } from '../read/paging.js';
import { stands } from './grounds.js';
import { openIncidentOf, stepOf, type StepRow, type StoredRow } from './rows.js';
import * as sql from './statements.js';

type Which = IncidentIdentity | { readonly id: string };

interface Frame {
  readonly now_ms: number;
  readonly shards: number;
}

/**
 * Incidents on PostgreSQL. Locks are taken in one order: the identity, what a step rests on, the incident's row, the shard's counter. The
 * counter is held to the commit as everywhere; nothing is waited for behind it.
 */
export class PgIncidentStore implements IncidentStore {
  constructor(
    private readonly database: Database,
    private readonly queueIds: QueueIds,
  ) {}

  async change<T>(which: Which, decide: DecideStep<T>): Promise<T> {
    const identity = 'id' in which ? await this.identityOf(which.id) : which;
    if (identity === null) return decide(null, 0).result(null);
    const queueId = await this.queueIdOf(identity.queue);
    return await this.locked(identity, async (tx, frame) => await changed(tx, { identity, queueId, which, frame }, decide));
  }

  async changeOn<T>(ground: StepGround, identity: IncidentIdentity, decide: DecideStep<T>): Promise<T | null> {
    const queueId = await this.queueIdOf(identity.queue);
    return await this.locked(identity, async (tx, frame) => {
      const found = await stands(tx, ground, queueId);
      return found ? await changed(tx, { identity, queueId, which: identity, frame }, decide) : null;
    });
  }

  private async locked<T>(identity: IncidentIdentity, work: (tx: Queryable, frame: Frame) => Promise<T>): Promise<T> {
    return await this.database.transaction(async (tx) => {
      const [frame] = await tx.prepared<Frame>('incident_lock', sql.LOCK_IDENTITY, [incidentKey(identity).toString('hex')]);
      if (frame === undefined) throw new Error('there is no installation');
      return await work(tx, frame);
    }, BEGIN_BY_KEY);
  }

  async open(kind: IncidentKind): Promise<readonly OpenIncident[]> {
    return (await this.database.query<StoredRow>(sql.OPEN, [kind])).map(openIncidentOf);
  }

  async openCounts(): Promise<ReadonlyMap<string, number>> {
    const rows = await this.database.query<{ kind: string; open: number }>(sql.OPEN_COUNTS);
    return new Map(rows.map((row) => [row.kind, row.open]));
  }

  /** What an incident is about never changes, so it may be read before anything is locked. */
  private async identityOf(id: string): Promise<IncidentIdentity | null> {
    const incidentId = rowId(id);
    if (incidentId === null) return null;
    const [row] = await this.database.query<StoredRow>(sql.ONE, [incidentId]);
    if (row === undefined) return null;
    const { queue, subject } = openIncidentOf(row);
    // Of another version of the program it may be another kind: it is only hashed here.
    return { kind: row.kind as IncidentKind, subject, ...(queue !== null && { queue }) };
  }

  private async queueIdOf(queue: IncidentIdentity['queue']): Promise<number | null> {
    if (queue === undefined) return null;
    return (await this.queueIds.of([queue])).get(`${queue.namespace}\0${queue.queue}`) ?? null;
  }
}

interface Changing {
  readonly identity: IncidentIdentity;
  readonly queueId: number | null;
  readonly which: Which;
  readonly frame: Frame;
}

async function changed<T>(tx: Queryable, { identity, queueId, which, frame }: Changing, decide: DecideStep<T>): Promise<T> {
  const found = await find(tx, 'id' in which ? which : { ...identity, queueId });
  const { step, result } = decide(found, frame.now_ms);
  if (step === null) return result(found);
  const { kind, subject, queue = null } = identity;
  const incident = found ?? { id: await insert(tx, identity, queueId, step), kind, subject, queue, steps: [] };
  await append(tx, incident, step, shardOf(incidentKey(identity), frame.shards));
  return result({ ...incident, steps: [...incident.steps, step] });
}

async function find(
  tx: Queryable,
  which: { readonly id: string } | { readonly kind: string; readonly subject: string; readonly queueId: number | null },
): Promise<StoredIncident | null> {
  const [row] =
    'id' in which
      ? await tx.prepared<StoredRow>('incident_find_id', sql.FIND_ID, [rowId(which.id)])
      : await tx.prepared<StoredRow>('incident_find_open', sql.FIND_OPEN, [which.kind, which.subject, which.queueId]);
  if (row === undefined) return null;
  const steps = await tx.prepared<StepRow>('incident_steps', sql.STEPS, [row.id]);
  return { ...openIncidentOf(row), steps: steps.map(stepOf) };
}

async function insert(
  tx: Queryable,
  { kind, subject }: IncidentIdentity,
  queueId: number | null,
  { reason, atMs }: IncidentStep,
): Promise<string> {
  const rows = await tx.prepared<{ id: number }>('incident_insert', sql.INSERT, [kind, subject, queueId, reason, atMs]);
  return String(rows[0]?.id);
}

async function append(tx: Queryable, { id }: StoredIncident, step: IncidentStep, shard: number): Promise<void> {
  const { n, type, atMs, by, reason, evidence } = step;
  if (type === 'resolved') await tx.prepared('incident_resolve', sql.RESOLVE, [id, atMs]);
  const { last } = await takeNumbers(tx, new Map([[shard, 1]]));
  const number = (last.get(shard) ?? 0) + 1;
  const told = evidence === undefined ? null : JSON.stringify(evidence);
  await tx.prepared('incident_step', sql.INSERT_STEP, [id, n, type, atMs, by, reason, told, shard, number]);
}
