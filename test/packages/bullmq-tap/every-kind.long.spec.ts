import { FlowProducer, Queue, UnrecoverableError, Worker, type Job } from 'bullmq';
import { describe, expect, it } from 'vitest';
import { redisLeftOut, waitUntil, type TestProcess } from '#libs/testing';
import { agrees } from './agreement.fixture.js';
import { useStage } from './stage.fixture.js';

describe.skipIf(redisLeftOut())('a tap on jobs of every kind', () => {
  const stage = useStage('defaults: {owner: queue}\n');

  it('knows of each what BullMQ knows, also when it was killed and comes back', async () => {
    const connection = { host: '127.0.0.1', port: stage.it.redis.port, maxRetriesPerRequest: null };
    const queue = new Queue('mixed', { connection });
    const children = new Queue('mixed-children', { connection });
    const flows = new FlowProducer({ connection });
    const workers = [queue, children].map(({ name }) => new Worker(name, handle, { connection, autorun: false, concurrency: 4 }));
    for (const worker of workers) worker.on('error', () => undefined);
    try {
      await addSome(queue);
      await children.add('plain', {});
      let tap = await watching();
      for (const worker of workers) void worker.run();
      await addSome(queue);
      await flows.add({ name: 'plain', queueName: 'mixed', children: [1, 2, 3].map((n) => ({ name: 'plain', queueName: 'mixed-children', data: { n } })) });
      await queue.upsertJobScheduler('often', { every: 100, limit: 3 }, { name: 'plain' });
      const unwanted = await queue.add('plain', {}, { delay: 3_600_000, jobId: 'unwanted' });
      await unwanted.remove();
      await atRest(queue);
      const hopeless = (await queue.getFailed()).find((job) => job.name === 'hopeless');
      await hopeless?.updateData({ failures: 0 });
      await hopeless?.retry('failed');
      await agrees(stage.it, queue, children);
      expect((await stage.it.jobs('mixed')).filter((job) => job.id.startsWith('unwanted@')).map((job) => job.status)).toEqual(['cancelled']);
      const before = await eventsOf('mixed');

      await tap.kill();
      const gone = await queue.add('plain', {}, { jobId: 'gone-meanwhile', removeOnComplete: true });
      await addSome(queue);
      await waitUntil('it has gone', async () => (await queue.getJob(gone.id ?? '')) === undefined);
      tap = await watching();
      await addSome(queue);
      await atRest(queue);
      await agrees(stage.it, queue, children);
      const after = await eventsOf('mixed');
      for (const [id, events] of before) expect([id, after.get(id)]).toEqual([id, events]);
      expect(await stage.it.get('quarantine')).toMatchObject({ items: [] });
      expect(await tap.stop()).toMatchObject({ code: 0 });
    } finally {
      for (const worker of workers) await worker.close(true);
      await Promise.all([queue.close(), children.close(), flows.close()]);
    }
  });

  async function watching(): Promise<TestProcess> {
    const tap = stage.it.tap('--queue', 'mixed', '--queue', 'mixed-children');
    await waitUntil('the tap tells', async () => (await stage.it.get<{ items: unknown[] }>('jobs?queue=mixed')).items.length > 0, { withinMs: 20_000 });
    return tap;
  }

  async function addSome(queue: Queue): Promise<void> {
    const plain = (opts: object) => ({ name: 'plain', data: {}, opts });
    await queue.addBulk([
      ...Array.from({ length: 10 }, () => plain({})),
      ...Array.from({ length: 5 }, (_, i) => plain({ priority: 1 + (i % 3) })),
      ...Array.from({ length: 5 }, () => plain({ removeOnComplete: true })),
      ...Array.from({ length: 3 }, () => plain({ delay: 100 })),
      ...Array.from({ length: 2 }, () => plain({ delay: 3_600_000 })),
      plain({ lifo: true }),
      plain({ deduplication: { id: 'once' } }),
      plain({ deduplication: { id: 'once' } }),
      { name: 'flaky', data: { failures: 1 }, opts: { attempts: 3 } },
      { name: 'flaky', data: { failures: 2 }, opts: { attempts: 3, backoff: { type: 'fixed', delay: 50 } } },
      { name: 'flaky', data: { failures: 1 }, opts: { attempts: 3, backoff: { type: 'fixed', delay: 3_600_000 } } },
      { name: 'hopeless', data: { failures: 9 }, opts: { attempts: 2 } },
      { name: 'hopeless', data: { failures: 9, forGood: true }, opts: { attempts: 5 } },
    ]);
  }

  async function handle(job: Job): Promise<string> {
    const { failures = 0, forGood = false } = job.data as { failures?: number; forGood?: boolean };
    await job.updateProgress(50);
    if (forGood && failures > 0) throw new UnrecoverableError('never again');
    if (job.attemptsMade < failures) throw new TypeError(`failure ${String(job.attemptsMade + 1)}`);
    return 'done';
  }

  /** Nothing left to do but what is to be done much later. */
  async function atRest(queue: Queue): Promise<void> {
    await waitUntil('BullMQ is at rest', async () => {
      const { waiting = 0, active = 0, prioritized = 0 } = await queue.getJobCounts('waiting', 'active', 'prioritized', 'waiting-children');
      const soon = (await queue.getDelayed()).filter((job) => job.delay < 1_000_000);
      return waiting + active + prioritized + soon.length === 0;
    });
  }

  /** Ids of the facts of each job. */
  async function eventsOf(queue: string): Promise<Map<string, readonly string[]>> {
    const found = new Map<string, readonly string[]>();
    for (const { id, status } of await stage.it.jobs(queue)) {
      if (status === 'queued') continue;
      const { items } = await stage.it.get<{ items: { id: string; type: string }[] }>(`jobs/one/events?${new URLSearchParams({ queue, id, limit: '100' }).toString()}`);
      found.set(id, items.map((event) => `${event.type} ${event.id}`));
    }
    return found;
  }
});
