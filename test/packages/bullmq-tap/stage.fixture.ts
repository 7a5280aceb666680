import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis as Client } from 'ioredis';
import { afterAll, beforeAll } from 'vitest';
import { cliEntry, createTestDatabase, ServerReplica, startProcess, startRedis, type Redis, type TestDatabase, type TestProcess } from '#libs/testing';
import { TAP_RIGHTS } from './rights.fixture.js';

const PASSWORD = 'only-reads';

export interface JobView {
  readonly id: string;
  readonly status: string;
  readonly attempt: number;
}

/** Redis, the shipped service with its policy, and taps as the command line starts them. */
export class Stage {
  readonly taps: TestProcess[] = [];
  readonly processes: TestProcess[] = [];

  private constructor(
    readonly redis: Redis,
    readonly client: Client,
    readonly service: ServerReplica,
    private readonly database: TestDatabase,
    private readonly folder: string,
  ) {}

  static async start(policy: string): Promise<Stage> {
    const folder = mkdtempSync(join(tmpdir(), 'jobwarden-tap-'));
    const file = join(folder, 'policy.yaml');
    writeFileSync(file, policy);
    const [redis, database] = await Promise.all([startRedis(), createTestDatabase()]);
    const client = new Client(redis.url, { maxRetriesPerRequest: null });
    client.on('error', () => undefined);
    await client.call('ACL', 'SETUSER', 'tap', 'on', `>${PASSWORD}`, ...TAP_RIGHTS.split(' '));
    const service = await ServerReplica.start({ env: { JOBWARDEN_DATABASE_URL: database.url, JOBWARDEN_CONFIG: file, JOBWARDEN_LOG_LEVEL: 'warn' } });
    return new Stage(redis, client, service, database, folder);
  }

  get tapUrl(): string {
    return this.redis.url.replace('redis://', `redis://tap:${PASSWORD}@`);
  }

  /** By the user that may only read. */
  tap(...args: readonly string[]): TestProcess {
    const tap = startProcess({ entry: cliEntry, args: ['observe', 'bullmq', '--url', this.service.url, ...args], env: { REDIS_URL: this.tapUrl } });
    this.taps.push(tap);
    return tap;
  }

  process(entry: string, env: Readonly<Record<string, string>>): TestProcess {
    const started = startProcess({ entry, env: { REDIS_PORT: String(this.redis.port), ...env } });
    this.processes.push(started);
    return started;
  }

  async get<T>(path: string): Promise<T> {
    const response = await fetch(`${this.service.url}/v1/${path}`);
    if (!response.ok) throw new Error(`${path}: ${String(response.status)} ${await response.text()}`);
    return (await response.json()) as T;
  }

  /** All of them. */
  async jobs(queue: string): Promise<JobView[]> {
    const found: JobView[] = [];
    for (let next: string | null = null; ; ) {
      const cursor: Record<string, string> = next === null ? {} : { next };
      const page = await this.get<{ items: JobView[]; next: string | null }>(`jobs?${new URLSearchParams({ queue, limit: '1000', ...cursor }).toString()}`);
      found.push(...page.items);
      next = page.next;
      if (next === null) return found;
    }
  }

  async job(queue: string, id: string): Promise<JobView & { readonly anomalies: readonly unknown[] }> {
    return await this.get(`jobs/one?${new URLSearchParams({ queue, id }).toString()}`);
  }

  async stop(): Promise<void> {
    for (const started of [...this.taps, ...this.processes]) await started.kill();
    await this.service.kill();
    this.client.disconnect();
    await this.redis.stop();
    await this.database.drop();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

export function useStage(policy: string): { readonly it: Stage } {
  let stage: Stage | undefined;
  beforeAll(async () => {
    stage = await Stage.start(policy);
  });
  afterAll(() => stage?.stop());
  return {
    get it() {
      if (stage === undefined) throw new Error('The stage is set in beforeAll: use it inside of a test or hook.');
      return stage;
    },
  };
}

/** What Redis is told by whom, from now on. */
export class Watch {
  private readonly lines: { readonly command: string; readonly source: string }[] = [];
  private readonly sources = new Set<string>();

  private constructor(
    private readonly client: Client,
    private readonly monitor: Client,
  ) {}

  static async begin(client: Client): Promise<Watch> {
    const monitor = await client.monitor();
    const watch = new Watch(client, monitor);
    monitor.on('monitor', (_time: string, args: string[], source: string) => watch.lines.push({ command: (args[0] ?? '').toLowerCase(), source }));
    return watch;
  }

  /** Call it while the taps are connected. */
  async noteTaps(): Promise<number> {
    const list = String(await this.client.client('LIST'));
    for (const line of list.split('\n')) {
      if (!line.includes(' user=tap ')) continue;
      const address = / addr=(\S+) /u.exec(line)?.[1];
      if (address !== undefined) this.sources.add(address);
    }
    return this.sources.size;
  }

  /** Every command of the taps, with how often it came. */
  commands(): Map<string, number> {
    const found = new Map<string, number>();
    for (const { command, source } of this.lines) if (this.sources.has(source)) found.set(command, (found.get(command) ?? 0) + 1);
    return found;
  }

  end(): void {
    this.monitor.disconnect();
  }
}
