import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  FactWriter,
  Heartbeats,
  Incidents,
  LaneIncidents,
  LaneIngest,
  type FeedPartition,
  type LaneStore,
} from '#libs/application';
import { parseContext } from '#libs/contracts';
import { fixedPolicies, useTestDatabase, World } from '#libs/testing';
import { PgLaneDesk } from '../lanes/pg-lane-desk.js';
import { PgLaneStore } from '../lanes/pg-lane-store.js';
import { PgQuarantineStore } from '../log/pg-quarantine-store.js';
import { PgQueueStateStore } from '../log/pg-queue-state-store.js';
import { QueueIds } from '../log/queue-ids.js';
import { PgIncidentReads } from '../read/incident-reads.js';
import { PgIncidentStore } from './pg-incident-store.js';

const NAME = 'kafka/events/0';
const partition = (low: number, high: number): FeedPartition => ({ name: NAME, low, high, origin: 'cluster-1' });

describe('incidents of lanes', () => {
  const database = useTestDatabase();
  let world: World;
  let lanes: PgLaneStore;
  let reads: PgIncidentReads;

  beforeAll(() => {
    world = new World(database.url, fixedPolicies());
    lanes = new PgLaneStore(world.database);
    reads = new PgIncidentReads(world.database);
  });
  afterAll(() => world.close());

  const incidents = () => new Incidents(new PgIncidentStore(world.database, new QueueIds(world.database)));

  /** A reader of the partitions, as a replica has one. */
  function reader(store: LaneStore = lanes): LaneIngest {
    const { log, policies, leases } = world;
    const context = parseContext({ hashKey: Buffer.alloc(32, 7) });
    return new LaneIngest(
      {
        writer: new FactWriter(log, policies, 0),
        heartbeats: new Heartbeats(log, leases, policies, 0),
        quarantine: new PgQuarantineStore(world.database),
        queueStates: new PgQueueStateStore(world.database, new QueueIds(world.database)),
        workerKey: () => '',
        lanes: store,
        context: () => context,
        observer: {
          stored: () => undefined,
          stopped: (...told) => new LaneIncidents(incidents()).stopped(...told),
          reading: (read) => new LaneIncidents(incidents()).reading(read),
        },
      },
      { clockMode: 'real' },
    );
  }

  const all = async () => (await reads.list({ namespaces: 'all' }, { limit: 10, after: null })).items;

  it('are none while lanes can be read', async () => {
    expect(await reader().assigned([partition(10, 20)])).toEqual([10]);
    expect(await all()).toEqual([]);
  });

  it('open when one is out of range, with what was wanted and what there is', async () => {
    expect(await reader().assigned([partition(15, 30)])).toEqual([null]);
    const [open, ...others] = await all();
    expect(others).toEqual([]);
    expect(open).toMatchObject({ kind: 'lane_out_of_range', subject: NAME, queue: null, status: 'open' });
    const [step] = (await reads.one(open?.id ?? ''))?.steps ?? [];
    expect(step?.reason).toContain('should go on at offset 10');
    expect(step?.evidence).toEqual({ wanted: 10, low: 15, high: 30, origin: 'cluster-1', foundIn: 'cluster-1' });
  });

  it('stay one while the lane is stopped, whoever looks at it', async () => {
    expect(await reader().assigned([partition(15, 30)])).toEqual([null]);
    expect(await reader().assigned([partition(16, 30)])).toEqual([null]);
    expect(await all()).toHaveLength(1);
  });

  it('are resolved when the lane is read again, and opened anew when it is out of range again', async () => {
    const [{ lane } = { lane: -1 }] = await lanes.open([{ name: NAME, start: 0, origin: 'cluster-1' }]);
    await new PgLaneDesk(world.database).seek(lane, { next: 20, origin: 'cluster-1' });
    expect(await reader().assigned([partition(15, 30)])).toEqual([20]);
    expect((await all()).map((i) => i.status)).toEqual(['resolved']);
    expect(await reader().assigned([partition(25, 30)])).toEqual([null]);
    expect((await all()).map((i) => i.status)).toEqual(['open', 'resolved']);
    await new PgLaneDesk(world.database).seek(lane, { next: 25, origin: 'cluster-1' });
    await reader().assigned([partition(25, 30)]);
  });

  it('are opened before the lane is stopped, so that a kill in between loses none', async () => {
    const dying: LaneStore = {
      open: (wanted) => lanes.open(wanted),
      advance: (moves) => lanes.advance(moves),
      told: (ends) => lanes.told(ends),
      stop: () => Promise.reject(new Error('killed')),
    };
    const before = (await all()).length;
    await expect(reader(dying).assigned([partition(28, 30)])).rejects.toThrow('killed');
    expect((await all()).length).toBe(before + 1);
    expect(await reader().assigned([partition(28, 30)])).toEqual([null]);
    expect((await all()).length).toBe(before + 1);
  });

  it('stay open when somebody says that he reads the lane who was halted before it was stopped', async () => {
    const [lane] = await lanes.open([{ name: NAME, start: 0, origin: 'cluster-1' }]);
    if (lane === undefined) throw new Error('no lane');
    await new PgLaneDesk(world.database).seek(lane.lane, { next: 25, origin: 'cluster-1' });
    const [read] = await lanes.open([{ name: NAME, start: 0, origin: 'cluster-1' }]);
    expect(await reader().assigned([partition(28, 30)])).toEqual([null]);
    await new LaneIncidents(incidents()).reading(read === undefined ? [] : [read]);
    expect((await all())[0]).toMatchObject({ subject: NAME, status: 'open' });
  });

  it('follow what an operator does with a lane', async () => {
    const lane = { name: 'kafka/events/7', stopped: 'out of range', holds: true };
    const told = { by: 'ada', reason: 'the topic is gone' };
    const of = async () => (await all()).filter((i) => i.subject === lane.name).map((i) => i.status);
    await incidents().open('lane_out_of_range', lane.name, { reason: 'out of range' });
    const follow = new LaneIncidents(incidents());
    await follow.changed({ ...lane, holds: false }, told);
    expect(await of()).toEqual(['resolved']);
    await follow.changed(lane, told);
    expect(await of()).toEqual(['open', 'resolved']);
    await follow.changed({ ...lane, stopped: null }, told);
    await follow.changed({ ...lane, stopped: null }, told);
    expect(await of()).toEqual(['resolved', 'resolved']);
  });
});
