import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Failpoint, MessageSink, ShardLease } from '#libs/application';
import { useTestDatabase } from '#libs/testing';
import { PgLogStore } from '../log/pg-log-store.js';
import { QueueIds } from '../log/queue-ids.js';
import { Killed, PublishingWorld, Replica, REQUEUED } from './publishing.fixture.js';

const invalidates = { keys: ['k'] };

/** Kills whoever comes to this window. */
function killAt(window: string): Failpoint {
  return (at) => {
    if (at === window) throw new Killed(window);
  };
}

describe('a publisher that dies', () => {
  const database = useTestDatabase();
  let world: PublishingWorld;

  beforeAll(() => {
    world = new PublishingWorld(database.url);
  });
  afterEach(() => world.endLeases());
  afterAll(() => world.close());

  async function expectOneOfEach(job: string): Promise<void> {
    const rows = await world.outbound(job);
    expect(rows.map((r) => [r.kind, r.outcome])).toEqual([
      ['invalidation', 'sent'],
      ['enqueue', 'sent'],
    ]);
    expect(new Set(rows.map((r) => r.message.id)).size).toBe(2);
    expect(rows[0]?.place).toBeLessThan(rows[1]?.place ?? 0);
  }

  for (const window of ['commit/publish', 'publish/checkpoint'] as const) {
    it(`at ${window} leaves one message per id to whoever comes next`, async () => {
      const job = `crash-${window}`;
      await world.requeued(job, { invalidates });
      await expect(new Replica(world, { failpoint: killAt(window) }).publish()).rejects.toBeInstanceOf(Killed);
      const left = await world.outbound(job);
      expect(left.length).toBe(window === 'commit/publish' ? 0 : 2);
      await world.endLeases();
      await new Replica(world).publish();
      await expectOneOfEach(job);
      // Sent before, so not sent again: a second place would be a second message on every stream.
      if (left.length > 0) expect(await world.outbound(job)).toEqual(left);
    });
  }

  it('between the two steps leaves the invalidation, and the next one adds the command', async () => {
    await world.requeued('between', { invalidates });
    const sink: MessageSink = { name: 'test', send: () => Promise.reject(new Killed()) };
    await expect(new Replica(world, { sinks: [sink] }).publish()).rejects.toBeInstanceOf(Killed);
    expect((await world.outbound('between')).map((r) => r.kind)).toEqual(['invalidation']);
    await world.endLeases();
    await new Replica(world).publish();
    await expectOneOfEach('between');
  });

  it('before a further sink has acknowledged a command gives it that command again, while it is true', async () => {
    await world.requeued('sink-true');
    await world.requeued('sink-stale');
    const dead: MessageSink = { name: 'test', send: () => Promise.reject(new Killed()) };
    const first = new Replica(world, { sinks: [dead] });
    const leases = await first.hold();
    const ends = await Promise.allSettled(leases.map((lease) => first.shards.drain(lease, () => true)));
    expect(ends.filter((e) => e.status === 'rejected').length).toBeGreaterThan(0);
    await world.send({ type: 'started', job: 'sink-stale', attempt: 2, worker: { id: 'w2' } });
    await world.endLeases();
    const got: string[] = [];
    const sink: MessageSink = {
      name: 'test',
      send: (messages) => {
        got.push(...messages.map((m) => (JSON.parse(m.message) as { subject: string }).subject));
        return Promise.resolve();
      },
    };
    await new Replica(world, { sinks: [sink] }).publish();
    expect(got.filter((job) => job.startsWith('sink-'))).toEqual(['sink-true']);
    expect((await world.outbound('sink-stale')).map((r) => r.outcome)).toEqual(['sent']);
  });

  it('has lost nothing it needs: a twin that writes its checkpoint before it sends loses the message', async () => {
    await world.requeued('twin-checkpoint', { invalidates });
    const twin = new Replica(world);
    for (const lease of await twin.hold()) await checkpointFirst(twin, lease);
    await world.endLeases();
    await new Replica(world).publish();
    expect(await world.outbound('twin-checkpoint')).toEqual([]);
  });

  async function checkpointFirst({ store }: Replica, lease: ShardLease): Promise<void> {
    const last = (await store.next(lease.shard, lease.checkpoint, 100)).at(-1);
    // … and dies here, before it sends.
    if (last !== undefined) await store.checkpoint(lease, last.position.number);
  }

  it('sends nothing for a decision whose writer died before its commit', async () => {
    await world.send(
      { type: 'queued', job: 'uncommitted' },
      { type: 'started', job: 'uncommitted', worker: { id: 'w1' } },
    );
    const log = new PgLogStore(world.database, new QueueIds(world.database), {
      shards: 16,
      failpoint: killAt('append/commit'),
    });
    await expect(world.decideBy(log, 'uncommitted', [REQUEUED])).rejects.toBeInstanceOf(Killed);
    await new Replica(world).publish();
    expect(await world.outbound('uncommitted')).toEqual([]);
  });

  it('would do so if it published first: a twin that sends before the commit leaves a command nobody decided', async () => {
    await world.requeued('pattern');
    await new Replica(world).publish();
    await world.endLeases();
    await world.send(
      { type: 'queued', job: 'twin-commit' },
      { type: 'started', job: 'twin-commit', worker: { id: 'w1' } },
    );
    const twin = new Replica(world);
    await twin.hold();
    const failpoint: Failpoint = async () => {
      await sendAhead('twin-commit');
      throw new Killed();
    };
    const log = new PgLogStore(world.database, new QueueIds(world.database), { shards: 16, failpoint });
    await expect(world.decideBy(log, 'twin-commit', [REQUEUED])).rejects.toBeInstanceOf(Killed);
    const [sent] = await world.outbound('twin-commit');
    expect(sent).toMatchObject({ kind: 'enqueue', outcome: 'sent' });
    const decisions = await world.database.query(
      `SELECT FROM jobwarden.events e JOIN jobwarden.jobs j USING (job_key) WHERE j.job_id = 'twin-commit' AND e.n IS NOT NULL`,
    );
    expect(decisions).toEqual([]);
  });

  /** The command as it would be, ahead of its decision. */
  async function sendAhead(job: string): Promise<void> {
    await world.database.query(
      `INSERT INTO jobwarden.outbound (shard, number, kind, queue_id, job_key, outcome, place, lane_ms, message)
       SELECT j.shard, 1000000, 'enqueue', j.queue_id, j.job_key, 'sent', 1000000, 0,
              (SELECT message FROM jobwarden.outbound WHERE kind = 'enqueue' LIMIT 1)
       FROM jobwarden.jobs j WHERE j.job_id = $1`,
      [job],
    );
  }
});
