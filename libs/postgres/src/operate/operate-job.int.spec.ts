import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { OperateJob, type OperatorOutcome } from '#libs/application';
import { fixedPolicies, useTestDatabase, World } from '#libs/testing';
import { Database } from '../database.js';
import { pgReadModels } from '../read/read-models.js';
import { stateFromJson, tokenOf, type Decision } from '#libs/domain';

const ref = (id: string) => ({ namespace: 'default', queue: 'q', id });
const ann = { reason: 'the disk was full', by: 'ann' };
const bob = { reason: 'it is late', by: 'bob' };
const w1 = { worker: { id: 'w1' } };

describe('operators and jobs', () => {
  const database = useTestDatabase();
  let world: World;
  let operate: OperateJob;
  let nowMs = 1_800_000_000_000;

  beforeAll(async () => {
    world = new World(database.url, fixedPolicies({ idempotent: true, maxRetries: 0 }, 'act'));
    await world.startClock(nowMs);
    operate = new OperateJob(world.log, world.policies, pgReadModels(world.database).jobs);
  });
  afterAll(async () => {
    await world.close();
  });

  async function later(ms = 1_000): Promise<void> {
    nowMs += ms;
    await world.at(nowMs);
  }

  async function decisionsOf(id: string): Promise<readonly Decision[]> {
    return stateFromJson((await world.job(id)).state).decisions;
  }

  async function deadLetter(id: string, attempt = 1): Promise<void> {
    const error = { class: 'Poison', message: `attempt ${attempt}` };
    await world.send({ type: 'started', job: id, attempt, ...w1 }, { type: 'failed', job: id, attempt, error });
    await later();
    await world.run();
    expect((await world.job(id)).status).toBe('dead-lettered');
  }

  it('lets one of two operators win, and tells the other where the job stands now', async () => {
    for (let i = 0; i < 10; i += 1) {
      const id = `race-${i}`;
      await world.send({ type: 'queued', job: id }, { type: 'started', job: id, ...w1 });
      const both = await Promise.all([operate.call(ref(id), 'cancel', ann), operate.call(ref(id), 'discard', bob)]);
      const kinds = both.map((o) => o.kind).sort();
      expect(kinds).toEqual(['conflict', 'done']);
      const { status } = await world.job(id);
      for (const outcome of both) expect(outcome).toMatchObject({ status });
      const ends = (await decisionsOf(id)).filter((d) => d.kind === 'cancelled' || d.kind === 'discarded');
      expect(ends).toHaveLength(1);
    }
  });

  it('cancels with a stop for whoever runs the job, in the same transaction', async () => {
    await world.send({ type: 'queued', job: 'stop' }, { type: 'started', job: 'stop', ...w1 });
    expect(await operate.call(ref('stop'), 'cancel', ann)).toEqual({
      kind: 'done',
      status: 'cancelled',
      attempt: 1,
      token: tokenOf(0, 1),
      n: 2,
      decisions: [
        { n: 1, kind: 'cancelled' },
        { n: 2, kind: 'stop-requested' },
      ],
    });
    expect(await decisionsOf('stop')).toMatchObject([
      { kind: 'cancelled', ...ann },
      { kind: 'stop-requested', by: 'ann', previousWorker: { id: 'w1' } },
    ]);
    expect(await world.job('stop')).toMatchObject({ status: 'cancelled', lookAtMs: null });
    expect(await operate.call(ref('stop'), 'cancel', bob)).toMatchObject({
      kind: 'conflict',
      code: 'finished',
      status: 'cancelled',
    });
  });

  it('grants the next attempt after a restart by hand even at level observe, once the grace has passed', async () => {
    const observing = new World(database.url, fixedPolicies({ graceMs: 1_000 }));
    const byHand = new OperateJob(observing.log, observing.policies, pgReadModels(observing.database).jobs);
    await observing.send({ type: 'queued', job: 'restart' }, { type: 'started', job: 'restart', ...w1 });
    expect(await byHand.call(ref('restart'), 'restart', ann)).toMatchObject({
      kind: 'done',
      status: 'restart-requested',
    });
    await later(1_000);
    await observing.read();
    await observing.run();
    expect(await observing.job('restart')).toMatchObject({ status: 'requeued', attempt: 2 });
    expect(await byHand.call(ref('restart'), 'restart', bob)).toMatchObject({
      kind: 'done',
      status: 'requeued',
      decisions: [{ kind: 'republished' }],
    });
    await observing.close();
  });

  it('redrives out of the dead letters, keeps the first cause, both people and the whole chain', async () => {
    await world.send({ type: 'queued', job: 'hops' });
    await deadLetter('hops');
    expect(await operate.call(ref('hops'), 'redrive', ann)).toMatchObject({
      kind: 'done',
      status: 'requeued',
      attempt: 2,
      token: tokenOf(0, 2),
    });
    await deadLetter('hops', 2);
    await operate.call(ref('hops'), 'redrive', bob);
    await deadLetter('hops', 3);

    const decisions = await decisionsOf('hops');
    expect(decisions.map((d) => d.kind)).toEqual([
      'dead-lettered',
      'redriven',
      'requeued',
      'dead-lettered',
      'redriven',
      'requeued',
      'dead-lettered',
    ]);
    expect(decisions.filter((d) => d.kind === 'redriven')).toMatchObject([ann, bob]);
    const detail = await pgReadModels(world.database).jobs.one(ref('hops'));
    expect(detail?.evidence.get(7)).toMatchObject({
      chain: [
        { attempt: 1, outcome: 'failed', error: { message: 'attempt 1' } },
        { attempt: 2, outcome: 'failed', error: { message: 'attempt 2' } },
        { attempt: 3, outcome: 'failed', error: { message: 'attempt 3' } },
      ],
    });
  });

  it('refuses the fourth redrive with the history, and keeps that one was forced and why', async () => {
    await world.send({ type: 'queued', job: 'often' });
    await deadLetter('often');
    for (const attempt of [2, 3, 4]) {
      expect(await operate.call(ref('often'), 'redrive', ann)).toMatchObject({ kind: 'done' });
      await deadLetter('often', attempt);
    }
    const refused = await operate.call(ref('often'), 'redrive', ann);
    expect(refused).toMatchObject({ kind: 'conflict', code: 'max_redrives', status: 'dead-lettered' });
    expect(refused.kind === 'conflict' && refused.history).toHaveLength(7);
    expect(await operate.call(ref('often'), 'redrive', { reason: ' ', by: 'bob', force: true })).toMatchObject({
      kind: 'refused',
      code: 'reason_required',
    });
    expect(await operate.call(ref('often'), 'redrive', { ...bob, force: true })).toMatchObject({
      kind: 'done',
      attempt: 5,
    });
    const detail = await pgReadModels(world.database).jobs.one(ref('often'));
    const last = (await decisionsOf('often')).findLast((d) => d.kind === 'redriven')!;
    expect(last).toMatchObject(bob);
    expect(detail?.evidence.get(last.n)).toEqual({ redrives: 4, maxRedrives: 3, forced: true });
  });

  it('takes a change of the limits without a token, and keeps who made it', async () => {
    await world.send({ type: 'queued', job: 'limits' });
    expect(await operate.call(ref('limits'), 'limits', ann)).toMatchObject({
      kind: 'refused',
      code: 'limits_required',
    });
    expect(await operate.call(ref('limits'), 'limits', { ...ann, limits: { maxRetries: 7 } })).toMatchObject({
      kind: 'done',
      status: 'queued',
    });
    expect(await decisionsOf('limits')).toMatchObject([{ kind: 'limits-changed', ...ann, limits: { maxRetries: 7 } }]);
  });

  it('decides while the stop switch is off: what goes out waits, what is decided does not', async () => {
    await world.database.query('UPDATE jobwarden.installation SET actions_enabled = false');
    await world.send({ type: 'queued', job: 'off' });
    expect(await operate.call(ref('off'), 'cancel', ann)).toMatchObject({ kind: 'done', status: 'cancelled' });
    await world.database.query('UPDATE jobwarden.installation SET actions_enabled = true');
  });

  it('ends a job by hand that quarantine holds, and says so', async () => {
    await world.send(
      { type: 'queued', job: 'held' },
      { type: 'started', job: 'held', ...w1 },
      { type: 'succeeded', job: 'held', durationMs: 'soon' },
    );
    expect(await operate.call(ref('held'), 'resolve', { ...ann, force: true })).toMatchObject({
      kind: 'done',
      status: 'succeeded',
    });
    const detail = await pgReadModels(world.database).jobs.one(ref('held'));
    expect(detail?.evidence.get(1)).toEqual({ forced: true, quarantined: true });
  });

  it('tells an unknown job from a retired one, whose summary it gives', async () => {
    expect(await operate.call(ref('nobody'), 'cancel', ann)).toEqual({ kind: 'not_found' });
    await world.send({ type: 'queued', job: 'old' });
    await operate.call(ref('old'), 'cancel', ann);
    const owner = new Database({ url: database.url, poolSize: 1 });
    await owner.query(
      `INSERT INTO jobwarden.job_summaries (job_key, queue_id, job_id, status, attempt, token, since_ms)
       SELECT job_key, queue_id, job_id, status, attempt, 1, since_ms FROM jobwarden.jobs WHERE job_id = 'old'`,
    );
    await owner.query(`DELETE FROM jobwarden.jobs WHERE job_id = 'old'`);
    await owner.close();
    const outcome: OperatorOutcome = await operate.call(ref('old'), 'redrive', ann);
    expect(outcome).toMatchObject({ kind: 'retired', summary: { status: 'cancelled', attempt: 1, token: 1 } });
  });
});
