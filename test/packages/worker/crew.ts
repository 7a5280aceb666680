// What the specs of the worker library have in common: a service, and workers against it.
import { setTimeout as delay } from 'node:timers/promises';
import { createClient, type Client, type JobView } from '@jobwarden/client';
import { createWorker, type JobWorker, type WorkerOptions } from '@jobwarden/worker';
import { createTestDatabase, waitUntil, type TestDatabase } from '#libs/testing';
import { Shipped } from '../../e2e/cases/shipped.js';

/** A shipped service with a database of its own, and workers in this process. `end` in afterAll. */
export class Crew {
  private readonly workers: JobWorker[] = [];

  private constructor(
    readonly database: TestDatabase,
    readonly service: Shipped,
    readonly client: Client,
  ) {}

  static async start(policy: string, env: Readonly<Record<string, string>> = {}): Promise<Crew> {
    const database = await createTestDatabase();
    try {
      const service = await Shipped.start({ databaseUrl: database.url, policy, env });
      return new Crew(database, service, createClient({ url: service.url }));
    } catch (error) {
      await database.drop();
      throw error;
    }
  }

  worker(options: WorkerOptions = {}): JobWorker {
    const worker = createWorker({ client: this.client, logger: silent, ...options });
    this.workers.push(worker);
    return worker;
  }

  async job(id: string, queue = 'q'): Promise<JobView> {
    const job = await this.client.job({ queue, id });
    if (job === null) throw new Error(`there is no job ${queue}/${id}`);
    return job;
  }

  async reaches(id: string, status: string, queue = 'q'): Promise<JobView> {
    await waitUntil(`${id} is ${status}`, async () => (await this.client.job({ queue, id }))?.status === status);
    return await this.job(id, queue);
  }

  async end(): Promise<void> {
    await Promise.all(this.workers.map((worker) => worker.drain()));
    await this.service.end();
    await this.database.drop();
  }
}

export const silent = { info: () => undefined, warn: () => undefined };

/** A handler that goes on until it is told to stop. */
export async function untilStopped({ signal }: { readonly signal: AbortSignal }): Promise<never> {
  await delay(2 ** 31 - 1, undefined, { signal });
  throw new Error('nobody stopped it');
}

/** What lets a handler go on. */
export function latch(): { readonly opened: Promise<void>; readonly open: () => void } {
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => (open = resolve));
  return { opened, open: () => open() };
}

/** Keeps this event loop busy: no timer fires, no answer is read. */
export function block(ms: number): void {
  const until = performance.now() + ms;
  while (performance.now() < until);
}
