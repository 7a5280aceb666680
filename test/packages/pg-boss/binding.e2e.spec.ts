import { OwnersError } from '@jobwarden/pg-boss';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { waitUntil } from '#libs/testing';
import { Fleet } from './fleet.js';
import { Stage } from './stage.js';

const POLICY = `
defaults: {idempotent: true, lease: 300ms, grace: 100ms, backoff: {initial: 10ms, max: 10ms, jitter: 0}}
queues:
  plain: {actions: act, claims: required}
  stopped: {actions: act}
  theirs: {actions: act, owner: queue}
  expiring: {actions: act, owner: queue, ownerWait: 10ms}
  ours: {actions: act}
  fleet: {actions: act, claims: required, lease: 500ms, grace: 200ms}
`;
const FAST = { pollingIntervalSeconds: 0.5 };

describe('the pg-boss binding against the service', () => {
  let stage: Stage;
  beforeAll(async () => (stage = await Stage.start(POLICY)), 60_000);
  afterAll(async () => await stage.end());

  it('tells a job when it is sent, runs it under its lease, and puts back what has failed', async () => {
    await stage.boss.createQueue('plain', { retryLimit: 0 });
    const binding = stage.binding('jobwarden');
    binding.watchBoss(stage.boss);
    const nativeId = String(await stage.boss.send('plain', { to: 'ada' }));
    const id = await stage.idOf('plain', nativeId);
    await stage.reaches('plain', id, 'queued');
    const seen: unknown[] = [];
    await binding.work<{ to: string }>('plain', FAST, (job, { attempt, token }) => {
      seen.push([job.data, attempt, token]);
      if (attempt === 1) throw new Error('not yet');
      return { sent: true };
    });
    // Decided before anybody read: a consumer looks at that, too.
    await stage.reaches('plain', id, 'requeued');
    const consumer = binding.consumeCommands('plain');
    const job = await stage.reaches('plain', id, 'succeeded');
    // The stream may bring the same command, too.
    expect(consumer.stats()).toMatchObject({ retried: 1 });
    await stage.boss.offWork('plain');
    expect(job).toMatchObject({ attempt: 2 });
    expect(seen).toEqual([[{ to: 'ada' }, 1, 1], [{ to: 'ada' }, 2, 2]]);
    expect(await stage.boss.findJobs('plain')).toMatchObject([{ id: nativeId, state: 'completed', output: { sent: true } }]);
  });

  it('aborts what runs when somebody stops it, and cancels the row', async () => {
    await stage.boss.createQueue('stopped', { retryLimit: 0 });
    const binding = stage.binding('jobwarden');
    await binding.consumeCommands('stopped').ready;
    const nativeId = String(await stage.boss.send('stopped', {}));
    let aborted = false;
    await binding.work('stopped', FAST, async (_, { signal }) => {
      await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
      aborted = true;
      throw new Error('aborted');
    });
    const id = await stage.idOf('stopped', nativeId);
    await stage.reaches('stopped', id, 'processing');
    const path = `/v1/queues/stopped/jobs/${encodeURIComponent(id)}/cancel`;
    const { status } = await stage.service.call('POST', path, { reason: 'nobody wants it' });
    expect(status).toBeLessThan(300);
    await waitUntil('the row is cancelled', async () => (await stage.boss.findJobs('stopped', { id: nativeId }))[0]?.state === 'cancelled', { withinMs: 20_000 });
    expect(aborted).toBe(true);
    await stage.boss.offWork('stopped');
  });

  it('puts the job of a worker that was killed (kill -9) back once, and of one that was frozen: each ends once (A5, B2)', async () => {
    const fleet = await Fleet.start(stage, 'fleet');
    try {
      await Promise.all([fleet.add('one'), fleet.add('two')]);
      const killed = await fleet.begin();
      await killed.worker.kill();
      expect(await stage.reaches('fleet', killed.id, 'succeeded')).toMatchObject({ attempt: 2 });
      const other = killed.name === 'one' ? 'two' : 'one';
      const written = [{ attempt: 2, worker: other }];
      expect(await fleet.startsOf(killed.id)).toEqual([{ attempt: 1, worker: killed.name }, ...written]);
      expect(await fleet.sinkOf(killed.id)).toEqual(written);

      const frozen = await fleet.begin();
      await fleet.add('three');
      process.kill(frozen.worker.pid, 'SIGSTOP');
      await stage.reaches('fleet', frozen.id, 'succeeded');
      await fleet.go(frozen.id);
      process.kill(frozen.worker.pid, 'SIGCONT');
      await frozen.worker.waitForOutput(/refused 1/u);
      expect(await fleet.startsOf(frozen.id)).toEqual([{ attempt: 1, worker: other }, { attempt: 2, worker: 'three' }]);
      expect(await fleet.sinkOf(frozen.id)).toEqual([{ attempt: 2, worker: 'three' }]);
      const rows = () => stage.boss.findJobs('fleet');
      await waitUntil('pg-boss has both as completed', async () => (await rows()).every(({ state }) => state === 'completed'));
      expect((await rows()).map(({ output }) => output)).toEqual([{ by: other }, { by: 'three' }]);
    } finally {
      await fleet.end();
    }
  });

  it('leaves the job of a dead worker to pg-boss, which owns the queue and expires it: it runs once more, and not twice', async () => {
    await stage.boss.createQueue('expiring', { retryLimit: 2, retryDelay: 0, expireInSeconds: 1 });
    const binding = stage.binding('queue');
    binding.watchBoss(stage.boss);
    const consumer = binding.consumeCommands('expiring');
    const nativeId = String(await stage.boss.send('expiring', {}));
    const id = await stage.idOf('expiring', nativeId);
    // Somebody fetches it, begins it, and is not heard of again.
    await stage.boss.fetch('expiring');
    const begun = { queue: 'expiring', attempt: 1, worker: { id: 'dead' }, leaseMs: 100 };
    await stage.client.send([{ specversion: '1.0', id: 'begun', source: 'test', type: 'jobwarden.job.started.v1', subject: id, data: begun }]);
    await waitUntil('Jobwarden has asked for it, and pg-boss has it still', () => (consumer.stats()['running'] ?? 0) > 0, { withinMs: 20_000 });
    const row = async () => (await stage.boss.findJobs('expiring', { id: nativeId }))[0];
    await waitUntil('pg-boss takes it back', async () => {
      await stage.boss.supervise('expiring');
      return (await row())?.state === 'retry';
    }, { withinMs: 20_000, everyMs: 100 });
    const seen: number[] = [];
    await binding.work('expiring', FAST, (_, { attempt }) => void seen.push(attempt));
    expect(await stage.reaches('expiring', id, 'succeeded')).toMatchObject({ attempt: 2, anomalies: [] });
    await stage.boss.offWork('expiring');
    expect(seen).toEqual([2]);
    expect(await stage.boss.findJobs('expiring')).toMatchObject([{ id: nativeId, state: 'completed', retryCount: 1, retryLimit: 2 }]);
  });

  it('refuses two recoverers, naming both, whoever of them is too many', async () => {
    await stage.boss.createQueue('ours', { retryLimit: 2 });
    await stage.boss.createQueue('theirs', { retryLimit: 0 });
    const never = () => expect.unreachable();
    const beside = await stage.binding('queue').work('ours', never).catch((error: unknown) => error);
    expect(beside).toBeInstanceOf(OwnersError);
    expect(String(beside)).toMatch(/pg-boss \(retryLimit: 2, expireInSeconds: \d+\) and Jobwarden \(owner: jobwarden, requeue: act/u);
    const retries = await stage.binding('jobwarden').consumeCommands('ours').ready.catch((error: unknown) => error);
    expect(String(retries)).toMatch(/Jobwarden \(owner: 'jobwarden'\) and pg-boss \(retryLimit: 2/u);
    await expect(stage.binding('jobwarden').work('theirs', never)).rejects.toThrow(/owner: 'jobwarden'.*policy says owner: queue/u);
    await stage.boss.createQueue('graves');
    await stage.boss.updateQueue('ours', { retryLimit: 0, deadLetter: 'graves' });
    await expect(stage.binding('jobwarden').work('ours', never)).rejects.toThrow(/take its dead letter queue "graves" away/u);
    await expect(stage.binding('queue').work('nowhere', never)).rejects.toThrow(/has no queue "nowhere"/u);
  });
});
