import { createBullmq, runId, type CommandConsumer } from '@jobwarden/bullmq';
import { createClient } from '@jobwarden/client';
import { Queue, type Job } from 'bullmq';
import { Redis as Connection } from 'ioredis';
import { startRedis, waitUntil, type Redis, type TestProcess } from '#libs/testing';
import { Shipped } from '../../e2e/cases/shipped.js';
import { startWorkerProcess, type FleetWorker } from './fleet.js';

/** BullMQ's 30 s and ours, divided by twenty. */
const LEASE_MS = 1_500;
const POLICY = `
defaults: {lease: 1500ms, grace: 300ms, backoff: {initial: 100ms, max: 100ms, jitter: 0}}
queues:
  owned: {actions: act, claims: required}
  fenced: {actions: act, claims: required}
  many: {actions: act, claims: required}
  poison: {actions: act, claims: required, poisonAfter: 3, maxRetries: 5}
`;

export interface JobReport {
  readonly status: string;
  readonly attempt: number;
  readonly attempts: readonly { readonly attempt: number; readonly workers: readonly { readonly id: string }[] }[];
  readonly decisions: readonly { readonly kind: string; readonly reason: string; readonly at: string }[];
}

type Owner = 'queue' | 'jobwarden';

export interface KillStageOptions {
  /** Default: the one of the tests. */
  readonly policy?: string;
  /** Of the workers. Default {@link LEASE_MS}. */
  readonly leaseMs?: number;
  /** How long something may take that is awaited. Default 30,000. */
  readonly withinMs?: number;
}

/** A service, a real Redis, and worker processes on it that are there to be killed. */
export class KillStage {
  private readonly cleanUp: (() => Promise<unknown>)[] = [];

  private constructor(
    readonly service: Shipped,
    private readonly redis: Redis,
    readonly connection: Connection,
    private readonly leaseMs: number,
    readonly withinMs: number,
  ) {}

  static async start(databaseUrl: string, { policy = POLICY, leaseMs = LEASE_MS, withinMs = 30_000 }: KillStageOptions = {}): Promise<KillStage> {
    const redis = await startRedis();
    return new KillStage(await Shipped.start({ databaseUrl, policy }), redis, new Connection(redis.port), leaseMs, withinMs);
  }

  queue(name: string, owner: Owner): Queue {
    return this.jobwarden(owner).watchQueue(this.bareQueue(name));
  }

  /** Of BullMQ alone. */
  bareQueue(name: string): Queue {
    const queue = new Queue(name, { connection: { host: '127.0.0.1', port: this.redis.port } });
    this.cleanUp.push(() => queue.close());
    return queue;
  }

  async commandsOf(queue: Queue, owner: Owner = 'jobwarden'): Promise<CommandConsumer> {
    const consumer = this.jobwarden(owner).consumeCommands(queue);
    await consumer.ready;
    return consumer;
  }

  async worker(more: Pick<FleetWorker, 'queue' | 'id'> & Partial<FleetWorker>): Promise<TestProcess> {
    return await this.started({ url: this.service.url, leaseMs: this.leaseMs, ...more });
  }

  /** A worker that is BullMQ's alone. */
  async bareWorker(more: Pick<FleetWorker, 'queue' | 'id'> & Partial<FleetWorker>): Promise<TestProcess> {
    return await this.started(more);
  }

  private async started(more: Pick<FleetWorker, 'queue' | 'id'> & Partial<FleetWorker>): Promise<TestProcess> {
    const started = await startWorkerProcess({ port: this.redis.port, ...more });
    this.cleanUp.push(() => started.kill());
    return started;
  }

  async report(job: Job): Promise<JobReport> {
    const query = new URLSearchParams({ queue: job.queueName, id: runId(job.id ?? '', job.timestamp) });
    return await this.service.get(`/v1/jobs/one?${query.toString()}`);
  }

  async until(what: string, holds: () => boolean | Promise<boolean>): Promise<void> {
    await waitUntil(what, holds, { withinMs: this.withinMs });
  }

  async starts(): Promise<readonly string[]> {
    return await this.connection.lrange('starts', 0, -1);
  }

  async ends(): Promise<readonly string[]> {
    return await this.connection.lrange('ends', 0, -1);
  }

  /** Ends what a test has made, and empties the Redis. */
  async clear(): Promise<void> {
    for (const step of this.cleanUp.splice(0).reverse()) await step();
    await this.connection.flushall();
  }

  async end(): Promise<void> {
    await this.service.end();
    this.connection.disconnect();
    await this.redis.stop();
  }

  private jobwarden(owner: Owner) {
    const made = createBullmq({ owner, client: createClient({ url: this.service.url }) });
    this.cleanUp.push(() => made.close());
    return made;
  }
}
