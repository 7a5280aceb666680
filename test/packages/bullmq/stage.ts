import { createBullmq, type Bullmq, type BullmqOptions } from '@jobwarden/bullmq';
import { Queue, Worker, type Job, type JobsOptions, type QueueOptions, type WorkerOptions } from 'bullmq';
import { startRedis, waitUntil, type Redis } from '#libs/testing';
import { ScriptedJobwarden } from './scripted-jobwarden.js';

/** A real Redis, and what the tests make on it. */
export class Stage {
  readonly jobwarden = new ScriptedJobwarden();
  private readonly closing: (() => Promise<unknown>)[] = [];
  private count = 0;

  private constructor(readonly redis: Redis) {}

  static async start(): Promise<Stage> {
    return new Stage(await startRedis());
  }

  get connection(): { readonly host: string; readonly port: number; readonly maxRetriesPerRequest: null } {
    return { host: '127.0.0.1', port: this.redis.port, maxRetriesPerRequest: null };
  }

  bullmq(options: BullmqOptions = {}): Bullmq {
    const made = createBullmq({ client: this.jobwarden.client, ...options });
    this.closing.push(() => made.close());
    return made;
  }

  queue(options: Partial<QueueOptions> = {}): Queue {
    this.count += 1;
    const queue = new Queue(`q${String(this.count)}`, { connection: this.connection, ...options });
    this.closing.push(() => queue.close());
    return queue;
  }

  keep<C extends { close(): Promise<unknown> }>(closable: C): C {
    this.closing.push(() => closable.close());
    return closable;
  }

  /** A worker of BullMQ alone, whose calls are made by hand. */
  byHand(queue: Queue, options: Partial<WorkerOptions> = {}): Worker {
    return this.keep(new Worker(queue.name, null, { connection: this.connection, ...options }));
  }

  /** What comes next, for a worker whose calls are made by hand. */
  async take(queue: Queue, lock: string, options: Partial<WorkerOptions> = {}): Promise<Job> {
    const worker = this.byHand(queue, options);
    // Typed as if there were always one.
    const job = (await worker.getNextJob(lock, { block: false })) as Job | undefined;
    if (job === undefined) throw new Error(`${queue.name} has no job to take`);
    return job;
  }

  /** A job that a worker has taken and then died with, its lock gone. */
  async abandoned(queue: Queue, opts: JobsOptions = {}): Promise<Job> {
    const added = await queue.add('mail', { to: 'ada' }, opts);
    const taken = await this.take(queue, 'dead:1');
    if (taken.id !== added.id) throw new Error('another job came first');
    const client = await queue.backend.client;
    await client.del(`${queue.toKey(added.id ?? '')}:lock`);
    return taken;
  }

  async state(queue: Queue, id: string | undefined): Promise<string> {
    return (await queue.getJob(id ?? ''))?.getState() ?? 'gone';
  }

  async until(what: string, holds: () => boolean | Promise<boolean>): Promise<void> {
    await waitUntil(what, holds, { withinMs: 10_000, everyMs: 5 });
  }

  /** What a test has made; the Redis stays. */
  async clear(): Promise<void> {
    for (const close of this.closing.splice(0).reverse()) await close();
  }

  async end(): Promise<void> {
    await this.clear();
    await this.redis.stop();
  }
}
