import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { OutboundMessage } from '#libs/application';
import { jobKeyHex } from '#libs/contracts';
import { useTestDatabase, waitUntil } from '#libs/testing';
import { PgPublishingReport } from './pg-publishing-report.js';
import { PublishingWorld, Replica, REPUBLISHED } from './publishing.fixture.js';

const invalidates = { keys: ['order:1'], tags: ['orders'] };

describe('publishing', () => {
  const database = useTestDatabase();
  let world: PublishingWorld;

  beforeAll(() => {
    world = new PublishingWorld(database.url);
  });
  afterAll(() => world.close());

  it('sends the invalidation of a requeue before the command that names it', async () => {
    const sent: string[] = [];
    const sink = {
      name: 'test',
      send: (m: readonly OutboundMessage[]) => Promise.resolve(void sent.push(m.map((x) => x.kind).join())),
    };
    await world.requeued('inv', { payload: { big: 1 }, invalidates, kind: 'mail' });
    await new Replica(world, { sinks: [sink] }).publish();
    expect(sent).toEqual(['invalidation', 'enqueue']);
    const [invalidation, enqueue] = await world.outbound('inv');
    expect(invalidation).toMatchObject({ kind: 'invalidation', outcome: 'sent' });
    expect(invalidation?.place).toBeLessThan(enqueue?.place ?? 0);
    const position = { shard: enqueue?.shard, number: enqueue?.number };
    expect(invalidation?.message.data).toMatchObject({ ...invalidates, cause: 'requeue', attempt: 2, position });
    expect(enqueue?.message).toMatchObject({
      type: 'jobwarden.command.enqueue.v1',
      subject: 'inv',
      namespace: 'default',
      data: {
        queue: 'q',
        n: 1,
        attempt: 2,
        token: 2,
        reason: 'lost',
        kind: 'mail',
        previousWorker: { id: 'w1' },
        payload: { big: 1 },
        invalidation: position,
      },
    });
    await world.endLeases();
  });

  it("sends the same command again when it is republished, with the first one's invalidation", async () => {
    await world.requeued('again', { invalidates });
    const replica = new Replica(world);
    await replica.publish();
    await world.decide('again', { kind: 'republished', attempt: 2, token: 2, reason: 'start_by', by: 'jobwarden' });
    await replica.publish();
    const [, first, second] = await world.outbound('again');
    expect(second?.message.data).toMatchObject({
      n: 2,
      attempt: 2,
      token: 2,
      reason: 'start_by',
      previousWorker: { id: 'w1' },
    });
    expect(second?.message.data['invalidation']).toEqual({ shard: first?.shard, number: first?.number });
    expect(second?.message.id).not.toBe(first?.message.id);
    await replica.leases.release(replica.id);
  });

  it('leaves to the next look what is appended while it publishes, so that no busy shard keeps others waiting', async () => {
    await world.requeued('busy');
    let batches = 0;
    const failpoint = async (at: string): Promise<void> => {
      if (at === 'publish/checkpoint' && (batches += 1) < 5) await world.decide('busy', REPUBLISHED);
    };
    const replica = new Replica(world, { failpoint });
    for (const looks of [1, 2]) {
      await replica.publish();
      expect(batches).toBe(looks);
      expect(await world.outbound('busy')).toHaveLength(looks);
    }
    await world.endLeases();
  });

  it('skips commands that are no longer true, and sends their invalidations all the same', async () => {
    await world.requeued('stale', { invalidates });
    await world.send({ type: 'started', job: 'stale', attempt: 2, worker: { id: 'w2' } });
    await world.decide('stale', { kind: 'stop-requested', attempt: 2, reason: 'finished', by: 'jobwarden' });
    const replica = new Replica(world);
    await replica.publish();
    expect(await world.outbound('stale')).toMatchObject([
      { kind: 'invalidation', outcome: 'sent' },
      { kind: 'enqueue', outcome: 'skipped', place: null, detail: 'the job is processing' },
      { kind: 'stop', outcome: 'skipped', place: null, detail: 'the job is processing' },
    ]);
    await replica.leases.release(replica.id);
  });

  it('never sends the command of a job that ends between the two steps', async () => {
    await world.requeued('ended', { invalidates });
    let ended = false;
    const sink = {
      name: 'test',
      send: async () => {
        if (!ended) await world.send({ type: 'succeeded', job: 'ended', worker: { id: 'w1' } });
        ended = true;
      },
    };
    const replica = new Replica(world, { sinks: [sink] });
    await replica.publish();
    await replica.publish();
    expect(await world.outbound('ended')).toMatchObject([
      { kind: 'invalidation', outcome: 'sent' },
      { kind: 'enqueue', outcome: 'skipped', detail: 'the job is succeeded' },
      { kind: 'invalidation', outcome: 'sent' },
    ]);
    await replica.leases.release(replica.id);
  });

  it('sends the keys of a queued event that comes after the success, once it comes', async () => {
    await world.send({ type: 'succeeded', job: 'late', worker: { id: 'w1' } });
    const replica = new Replica(world);
    await replica.publish();
    expect(await world.outbound('late')).toEqual([]);
    await world.send({ type: 'queued', job: 'late', invalidates });
    await replica.publish();
    expect(await world.outbound('late')).toMatchObject([
      { kind: 'invalidation', outcome: 'sent', message: { data: { cause: 'completed', keys: invalidates.keys } } },
    ]);
    await replica.leases.release(replica.id);
  });

  it('keeps a job from ending between its check and the commit of its command', async () => {
    await world.requeued('locked');
    const replica = new Replica(world);
    await replica.hold();
    const lease = (await replica.store.work(replica.id)).find((w) => w.entries)?.lease;
    const order: string[] = [];
    const key = jobKeyHex({ namespace: 'default', queue: 'q', id: 'locked' });
    let ending: Promise<unknown> = Promise.resolve();
    await replica.store.transact(lease!, async (tx) => {
      await tx.lockJobs([key]);
      ending = world.send({ type: 'succeeded', job: 'locked', worker: { id: 'w1' } }).then(() => order.push('ended'));
      await waitUntil('the writer waits for the row', async () => {
        const [row] = await world.database.query<{ count: number }>('SELECT count(*) FROM pg_locks WHERE NOT granted');
        return (row?.count ?? 0) > 0;
      });
      order.push('sent');
    });
    await ending;
    expect(order).toEqual(['sent', 'ended']);
    await replica.publish();
    await replica.leases.release(replica.id);
  });

  it('sends only the invalidation of what a claim has granted, and both lists of keys at completion', async () => {
    await world.send(
      { type: 'queued', job: 'claimed', invalidates },
      { type: 'started', job: 'claimed', worker: { id: 'w1' } },
    );
    await world.decide('claimed', { kind: 'requeued', attempt: 2, token: 2, reason: 'claim', by: 'jobwarden' });
    await world.send({
      type: 'succeeded',
      job: 'claimed',
      attempt: 2,
      worker: { id: 'w2' },
      invalidates: { keys: ['order:2'] },
    });
    const replica = new Replica(world);
    await replica.publish();
    const rows = await world.outbound('claimed');
    expect(rows.map((r) => [r.kind, r.outcome, r.message.data['cause'], r.message.data['keys']])).toEqual([
      ['invalidation', 'sent', 'requeue', ['order:1']],
      ['invalidation', 'sent', 'completed', ['order:1', 'order:2']],
    ]);
    await replica.leases.release(replica.id);
  });

  it('tells a dead letter with its whole chain, and a stop with its token', async () => {
    await world.requeued('dead');
    await world.send({
      type: 'failed',
      job: 'dead',
      attempt: 2,
      worker: { id: 'w2' },
      retryable: false,
      error: { class: 'E', message: 'no' },
    });
    await world.decide(
      'dead',
      {
        kind: 'dead-lettered',
        attempt: 2,
        token: 2,
        reason: 'failed',
        by: 'jobwarden',
        evidence: { retriesUsed: 1, chain: [] },
      },
      { kind: 'stop-requested', attempt: 1, reason: 'finished', by: 'jobwarden', previousWorker: { id: 'w1' } },
    );
    const replica = new Replica(world);
    await replica.publish();
    const rows = await world.outbound('dead');
    expect(rows.map((r) => [r.kind, r.outcome])).toEqual([
      ['enqueue', 'skipped'],
      ['dead-letter', 'sent'],
      ['stop', 'sent'],
    ]);
    expect(rows[1]?.message.data).toMatchObject({
      attempt: 2,
      reason: 'failed',
      evidence: { retriesUsed: 1 },
      chain: [
        { attempt: 1, ended: 'unknown', worker: { id: 'w1' } },
        { attempt: 2, token: 2, ended: 'failed-for-good', error: { class: 'E', message: 'no' } },
      ],
    });
    expect(rows[2]?.message.data).toMatchObject({ attempt: 1, token: 1, previousWorker: { id: 'w1' } });
    await replica.leases.release(replica.id);
  });

  it('holds everything back while the stop switch is off, and checks again what waited', async () => {
    await world.requeued('held-true', { invalidates });
    await world.requeued('held-stale');
    await world.setActions(false);
    const replica = new Replica(world);
    await replica.publish();
    expect(await world.outbound('held-true')).toEqual([]);
    expect((await new PgPublishingReport(world.database).lag()).some((s) => s.oldestMs > 0)).toBe(true);
    await world.send({ type: 'succeeded', job: 'held-stale', worker: { id: 'w1' } });
    await world.setActions(true);
    await replica.publish();
    expect((await world.outbound('held-true')).map((r) => r.outcome)).toEqual(['sent', 'sent']);
    expect((await world.outbound('held-stale')).map((r) => r.outcome)).toEqual(['skipped']);
    await replica.leases.release(replica.id);
  });
});
