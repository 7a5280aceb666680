import { Queue, Worker } from 'bullmq';
import { afterEach, describe, expect, it } from 'vitest';
import { redisLeftOut, waitUntil, type TestProcess } from '#libs/testing';
import { agrees } from './agreement.fixture.js';
import { useStage, Watch } from './stage.fixture.js';

const JOBS = Number(process.env['JOBWARDEN_TEST_TAP_JOBS'] ?? 500);

describe.skipIf(redisLeftOut())('a tap under load', () => {
  const stage = useStage('defaults: {owner: queue}\n');
  const toClose: { close(force?: boolean): Promise<void> }[] = [];
  afterEach(async () => {
    for (const each of toClose.splice(0)) await each.close(true);
  });

  it('asks Redis a bounded number of questions for each job', async () => {
    const queue = queueOf('counted');
    await queue.add('first', {});
    const watch = await Watch.begin(stage.it.client);
    const tap = await watching('counted');
    await watch.noteTaps();
    const before = sum(watch.commands());
    await runAll(queue);
    await agrees(stage.it, queue);
    const commands = watch.commands();
    watch.end();
    const perJob = (sum(commands) - before) / JOBS;
    process.stdout.write(`tap: ${perJob.toFixed(1)} commands a job over ${String(JOBS)} jobs: ${[...commands].map(([name, count]) => `${name} ${String(count)}`).join(', ')}\n`);
    expect(perJob).toBeLessThan(10);
    await tap.stop('SIGINT');
  });

  it('takes the queue in anew where the stream was trimmed before it was read', async () => {
    const queue = new Queue('trimmed', { connection: connection(), streams: { events: { maxLen: 50 } } });
    toClose.push(queue);
    await queue.add('first', {});
    const tap = await watching('trimmed');
    process.kill(tap.pid, 'SIGSTOP');
    try {
      await runAll(queue);
      expect(await stage.it.client.xlen('bull:trimmed:events')).toBeLessThan(JOBS);
    } finally {
      process.kill(tap.pid, 'SIGCONT');
    }
    await agrees(stage.it, queue);
    await tap.stop('SIGINT');
  });

  it('loses nothing while Redis or Jobwarden is away', async () => {
    const queue = queueOf('away');
    await queue.add('first', {});
    const tap = await watching('away');
    const work = worked(queue);
    await stage.it.service.kill();
    await queue.addBulk(Array.from({ length: 100 }, () => ({ name: 'plain', data: {} })));
    await stage.it.client.client('KILL', 'USER', 'tap');
    await waitUntil('the tap says that nobody answers', () => Promise.resolve(tap.output().includes('cannot be reached')), { withinMs: 20_000 });
    await stage.it.service.startAgain();
    await queue.addBulk(Array.from({ length: 100 }, () => ({ name: 'plain', data: {} })));
    await work;
    await agrees(stage.it, queue);
    await tap.stop('SIGINT');
  });

  it('does no harm beside another one', async () => {
    const queue = queueOf('twice');
    await queue.add('first', {});
    const taps = [await watching('twice'), await watching('twice')];
    await runAll(queue);
    await agrees(stage.it, queue);
    for (const tap of taps) expect(await tap.stop('SIGINT')).toMatchObject({ code: 0 });
    const { items } = await stage.it.get<{ items: { type: string }[] }>(`jobs/one/events?${new URLSearchParams({ queue: 'twice', id: String((await stage.it.jobs('twice'))[0]?.id) }).toString()}`);
    expect(items.filter((event) => event.type.includes('queued') || event.type.includes('succeeded'))).toHaveLength(2);
  });

  it('says at once what keeps it from beginning, without the password', async () => {
    const queue = queueOf('emails');
    await queue.add('first', {});
    await stage.it.client.call('ACL', 'SETUSER', 'poor', 'on', '>secret-word', 'allkeys', '-@all', '+ping');
    const { host } = new URL(stage.it.redis.url);
    const says = async (url: string, code: number, text: string, name = 'emails'): Promise<void> => {
      const tap = stage.it.tap('--redis', url, '--queue', name);
      expect(await tap.exited).toMatchObject({ code });
      expect(tap.output()).toContain(text);
      expect(tap.output()).not.toContain('secret-word');
    };
    await says(stage.it.redis.url, 2, 'Redis has no queue emials under the prefix bull. Did you mean emails?', 'emials');
    await says(`redis://nobody:secret-word@${host}`, 2, 'says: WRONGPASS');
    await says(`redis://poor:secret-word@${host}`, 2, 'says: NOPERM');
    await says(`redis://:secret-word@127.0.0.1:1`, 3, 'does not answer: ECONNREFUSED');
    await says('http://localhost', 2, 'must begin with redis://');
  });

  function connection() {
    return { host: '127.0.0.1', port: stage.it.redis.port, maxRetriesPerRequest: null };
  }

  function queueOf(name: string): Queue {
    const queue = new Queue(name, { connection: connection() });
    toClose.push(queue);
    return queue;
  }

  async function watching(queue: string): Promise<TestProcess> {
    const tap = stage.it.tap('--queue', queue);
    const known = stage.it.get.bind(stage.it);
    await waitUntil('the tap tells', async () => (await known<{ items: unknown[] }>(`jobs?queue=${queue}`)).items.length > 0, { withinMs: 20_000 });
    return tap;
  }

  async function runAll(queue: Queue): Promise<void> {
    for (let i = 0; i < JOBS; i += 250) await queue.addBulk(Array.from({ length: 250 }, () => ({ name: 'plain', data: {} })));
    await worked(queue);
  }

  /** Until nothing is left to do. */
  async function worked(queue: Queue): Promise<void> {
    const worker = new Worker(queue.name, () => Promise.resolve(1), { connection: connection(), concurrency: 20 });
    worker.on('error', () => undefined);
    toClose.push(worker);
    await waitUntil('all is done', async () => {
      const { waiting = 0, active = 0 } = await queue.getJobCounts('waiting', 'active');
      return waiting + active === 0;
    }, { withinMs: 60_000 });
  }
});

function sum(counts: ReadonlyMap<string, number>): number {
  return [...counts.values()].reduce((total, count) => total + count, 0);
}
