import { createClient, type Client, type JobView } from '@jobwarden/client';
import { createPgBoss, runId, type JobwardenPgBoss, type Owner } from '@jobwarden/pg-boss';
import { PgBoss } from 'pg-boss';
import { createTestDatabase, waitUntil, type TestDatabase } from '#libs/testing';
import { Shipped } from '../../e2e/cases/shipped.js';

/** A shipped service, pg-boss on a database of its own, and bindings in this process. `end` in afterAll. */
export class Stage {
  private readonly closing: JobwardenPgBoss[] = [];

  private constructor(
    private readonly databases: readonly [theirs: TestDatabase, ours: TestDatabase],
    readonly service: Shipped,
    readonly boss: PgBoss,
    readonly client: Client,
  ) {}

  static async start(policy: string): Promise<Stage> {
    const [theirs, ours] = await Promise.all([createTestDatabase({ empty: true }), createTestDatabase()]);
    const service = await Shipped.start({ databaseUrl: ours.url, policy });
    const boss = new PgBoss({ connectionString: theirs.url, supervise: false, schedule: false, monitorIntervalSeconds: 1 });
    boss.on('error', () => undefined);
    await boss.start();
    return new Stage([theirs, ours], service, boss, createClient({ url: service.url }));
  }

  get databaseUrl(): string {
    return this.databases[0].url;
  }

  binding(owner: Owner): JobwardenPgBoss {
    const made = createPgBoss(this.boss, { owner, client: this.client, logger: silent, worker: { leaseMs: 300 } });
    this.closing.push(made);
    return made;
  }

  /** The run id of a row. */
  async idOf(queue: string, nativeId: string): Promise<string> {
    const [row] = await this.boss.findJobs(queue, { id: nativeId });
    if (row === undefined) throw new Error(`pg-boss has no job ${nativeId}`);
    return runId({ nativeId, createdMs: row.createdOn.getTime() });
  }

  async reaches(queue: string, id: string, status: string): Promise<JobView> {
    let job: JobView | null = null;
    const holds = async () => (job = await this.client.job({ queue, id }))?.status === status;
    await waitUntil(`${id} is ${status}`, holds, { withinMs: 20_000 });
    return job as unknown as JobView;
  }

  async end(): Promise<void> {
    await Promise.all(this.closing.map((binding) => binding.close()));
    await this.boss.stop({ graceful: false });
    await this.service.end();
    for (const database of this.databases) await database.drop();
  }
}

const silent = { info: () => undefined, warn: () => undefined };
