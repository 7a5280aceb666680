import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Incidents, type BoardReads } from '#libs/application';
import { fixedPolicies, useTestDatabase, World } from '#libs/testing';
import { PgQueueGateStore } from '../operate/pg-queue-gate-store.js';
import { PgIncidentStore } from '../incidents/pg-incident-store.js';
import { QueueIds } from '../log/queue-ids.js';
import { PgRunStore } from '../saga/pg-run-store.js';
import { PgBoardReads } from './board-reads.js';
import { PgQueueReads } from './queue-reads.js';

const T0 = 1_700_000_100_000;
const ABOUT = { target: null, namespace: 'default', queues: ['mails'], queueCount: 1, source: 'signal', revision: null, dryRun: false };

describe('what boards read', () => {
  const place = useTestDatabase();
  let world: World;
  let reads: BoardReads;
  let incidents: Incidents;

  beforeAll(async () => {
    world = new World(place.url, fixedPolicies({ idempotent: true, leaseMs: 30_000 }, 'act'));
    reads = new PgBoardReads(world.database);
    incidents = new Incidents(new PgIncidentStore(world.database, new QueueIds(world.database)));
    await world.startClock(T0);
  });
  afterAll(async () => {
    await world.close();
  });

  const beat = async (id: string, queues: readonly string[], runtime: object) =>
    await world.send({ type: 'jobwarden.worker.heartbeat.v1', job: id, worker: { id }, jobs: queues.map((queue) => ({ queue, id: `${id}-${queue}`, attempt: 1 })), runtime });

  it('workers are told of by the queues whose jobs they hold: the fullest, the slowest, and sums', async () => {
    await beat('w1', ['mails'], { heapUsed: 9e8, heapLimit: 1e9, loopLagMs: 20, poolInUse: 3, poolWaiting: 1 });
    await beat('w2', ['mails', 'bills'], { heapUsed: 5e8, heapLimit: 1e9, loopLagMs: 900, poolInUse: 4, poolWaiting: 0 });
    await beat('w3', ['quiet'], { heapUsed: 5e8 });
    await beat('w4', [], { heapUsed: 9e8, heapLimit: 1e9 });
    const found = [...(await reads.workers())].sort((a, b) => (a.queue < b.queue ? -1 : 1));
    expect(found).toEqual([
      { queue: 'bills', workers: 1, heapRatio: 0.5, loopLagMs: 900, poolInUse: 4, poolWaiting: 0 },
      { queue: 'mails', workers: 2, heapRatio: 0.9, loopLagMs: 900, poolInUse: 7, poolWaiting: 1 },
      { queue: 'quiet', workers: 1, heapRatio: null, loopLagMs: null, poolInUse: null, poolWaiting: null },
    ]);
    await world.at(T0 + 30_000);
    await beat('w2', ['bills'], { heapUsed: 1e8, heapLimit: 1e9, loopLagMs: 1 });
    expect((await reads.workers()).find(({ queue }) => queue === 'bills')).toMatchObject({ workers: 1, heapRatio: 0.1, loopLagMs: 1, poolInUse: null });
    await world.at(T0 + 120_000);
    expect(await reads.workers()).toEqual([]);
  });

  it('a queue that is shut or throttled is, and by how much a run lets in', async () => {
    expect(await reads.intake()).toEqual([]);
    const gates = new PgQueueGateStore(world.database, new QueueIds(world.database));
    const set = async (queue: string, gate: 'paused' | 'throttled' | 'open', perSecond: number | null) =>
      await gates.set({ namespace: 'default', queue, gate, perSecond, reason: 'a test', by: 'a test' });
    await set('mails', 'throttled', 5);
    await set('bills', 'paused', null);
    await set('quiet', 'throttled', 2);
    await set('quiet', 'open', null);
    const { incident } = await incidents.open('saturation', { namespace: 'default', queue: 'mails' }, { reason: 'too much fails', evidence: ABOUT });
    const runs = new PgRunStore(world.database, new QueueIds(world.database));
    await runs.join(incident.id, [{ namespace: 'default', queue: 'mails', saturated: true }]);
    await runs.hold({ incidentId: incident.id, n: 1 }, { namespace: 'default', queue: 'mails' }, { before: { gate: 'open', perSecond: null }, normalPerSecond: 20, sharePercent: 25 });
    const found = [...(await reads.intake())].sort((a, b) => (a.queue < b.queue ? -1 : 1));
    expect(found).toEqual([
      { queue: 'bills', gate: 'paused', perSecond: null, sharePercent: null },
      { queue: 'mails', gate: 'throttled', perSecond: 5, sharePercent: 25 },
    ]);
  });

  it('an open incident is told of by its cause, once that was found, and by its queues', async () => {
    expect(await reads.incidents()).toEqual({ causes: [{ cause: null, count: 1 }], queues: [{ queue: 'mails', kind: 'saturation', count: 1 }] });
    const [{ id } = { id: '' }] = await incidents.openOnes('saturation');
    await incidents.advance(id, 1, { type: 'cause-assessed', by: 'jobwarden', reason: 'v2', evidence: { cause: 'bad_revision' } });
    await incidents.open('blackout', { namespace: 'default', queue: 'bills' }, { reason: 'all are gone' });
    await incidents.open('lane_out_of_range', 'kafka/events/1', { reason: 'gone' });
    const { causes, queues } = await reads.incidents();
    expect(causes).toEqual([{ cause: 'bad_revision', count: 1 }]);
    expect([...queues].sort((a, b) => (a.queue < b.queue ? -1 : 1))).toEqual([
      { queue: 'bills', kind: 'blackout', count: 1 },
      { queue: 'mails', kind: 'saturation', count: 1 },
    ]);
    await incidents.resolveById(id, { reason: 'done', by: 'a person' });
    expect((await reads.incidents()).causes).toEqual([]);
    expect(await reads.evidenceBytes()).toBe(0);
  });

  it('revisions are told of by the queue in which they worked', async () => {
    await world.at(T0 + 200_000);
    await world.send({ type: 'queued', job: 'a' }, { type: 'started', job: 'a', worker: { id: 'w', revision: '2.0' } });
    await world.send({ type: 'started', job: 'b', worker: { id: 'w' } });
    expect(await reads.revisions(T0 + 200_000)).toMatchObject([{ queue: 'q', revision: '2.0', firstMs: T0 + 200_000, lastMs: T0 + 200_000 }]);
    expect(await reads.revisions(T0 + 210_000)).toEqual([]);
  });

  it('how long the oldest waits is known where it is known how many do', async () => {
    await world.at(T0 + 300_000);
    const queues = new PgQueueReads(world.database);
    await world.database.query(`INSERT INTO jobwarden.publishers (shard, holder) VALUES (0, '00000000-0000-0000-0000-000000000001')
      ON CONFLICT (shard) DO UPDATE SET holder = excluded.holder`);
    const depthOf = async (name: string) => (await queues.exported('00000000-0000-0000-0000-000000000001'))?.find(({ queue }) => queue === name);
    await world.send({ type: 'queued', job: 'waits', queue: 'deep' });
    await world.send({ type: 'queued', job: 'done', queue: 'idle' }, { type: 'started', job: 'done', queue: 'idle', worker: { id: 'w' } });
    await world.send({ type: 'started', job: 'x', queue: 'unfed', worker: { id: 'w' } });
    await world.database.query(`UPDATE jobwarden.queues SET fed = queue <> 'unfed'`);
    await world.at(T0 + 307_000);
    expect(await depthOf('deep')).toMatchObject({ waiting: 1, oldestWaitingMs: 7_000 });
    expect(await depthOf('idle')).toMatchObject({ waiting: 0, oldestWaitingMs: 0 });
    expect(await depthOf('unfed')).toMatchObject({ waiting: null, oldestWaitingMs: null });
    await world.database.query(`INSERT INTO jobwarden.queue_states (queue_id, waiting, oldest_age_ms, reported_ms) SELECT queue_id, 9, 50000, jobwarden.lane_now() FROM jobwarden.queues WHERE queue = 'deep'`);
    expect(await depthOf('deep')).toMatchObject({ waiting: 9, oldestWaitingMs: 50_000 });
  });
});
