import { installPostgresFence } from '@jobwarden/fences';
import { join } from 'node:path';
import pg from 'pg';
import { startProcess, waitUntil, type TestProcess } from '#libs/testing';
import type { Stage } from './stage.js';

const entry = join(import.meta.dirname.replace(/[\\/]dist(?=[\\/]test)/u, ''), 'processes/worker.mjs');

interface Line {
  readonly attempt: number;
  readonly worker: string;
}

/** Workers of one queue that are there to be killed and frozen, and a sink with a fence. `end` in afterAll. */
export class Fleet {
  private readonly workers = new Map<string, TestProcess>();

  private constructor(
    private readonly stage: Stage,
    private readonly queue: string,
    private readonly pool: pg.Pool,
  ) {}

  static async start(stage: Stage, queue: string): Promise<Fleet> {
    await stage.boss.createQueue(queue, { retryLimit: 0 });
    const pool = new pg.Pool({ connectionString: stage.databaseUrl, max: 2 });
    await installPostgresFence(pool);
    await pool.query(
      'CREATE TABLE starts (n bigserial, job text, attempt int, worker text); CREATE TABLE go (job text); CREATE TABLE sink (job text, attempt int, worker text)',
    );
    return new Fleet(stage, queue, pool);
  }

  async add(name: string): Promise<void> {
    const env = { DATABASE_URL: this.stage.databaseUrl, JOBWARDEN_URL: this.stage.service.url, QUEUE: this.queue, WORKER: name };
    const process = startProcess({ entry, env });
    this.workers.set(name, process);
    await process.waitForOutput(/ready/u);
  }

  /** A job that hangs in its first attempt, and who runs that. */
  async begin(): Promise<{ readonly id: string; readonly nativeId: string; readonly name: string; readonly worker: TestProcess }> {
    const nativeId = String(await this.stage.boss.send(this.queue, { hangs: 1 }));
    const id = await this.stage.idOf(this.queue, nativeId);
    await waitUntil('it is begun', async () => (await this.startsOf(id)).length > 0, { withinMs: 20_000 });
    const name = (await this.startsOf(id))[0]?.worker ?? '';
    const worker = this.workers.get(name);
    if (worker === undefined) throw new Error(`nobody is called ${name}`);
    return { id, nativeId, name, worker };
  }

  async go(id: string): Promise<void> {
    await this.pool.query('INSERT INTO go VALUES ($1)', [id]);
  }

  async startsOf(id: string): Promise<readonly Line[]> {
    return (await this.pool.query<Line>('SELECT attempt, worker FROM starts WHERE job = $1 ORDER BY n', [id])).rows;
  }

  async sinkOf(id: string): Promise<readonly Line[]> {
    return (await this.pool.query<Line>('SELECT attempt, worker FROM sink WHERE job = $1', [id])).rows;
  }

  async end(): Promise<void> {
    for (const worker of this.workers.values()) await worker.kill();
    await this.pool.end();
  }
}
