import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import {
  createTestDatabase,
  freePort,
  kafkaClient,
  pollUntil,
  serverEntry,
  startProcess,
  waitUntil,
  type TestDatabase,
  type TestProcess,
} from '#libs/testing';
import { Host, LEASE_MS, PARTITIONS } from './host.js';

/** Nothing here may hide a wrong verdict: the blackout guard would hold many of them at once. */
const POLICY = `
defaults:
  lease: ${String(LEASE_MS)}ms
  grace: 1s
  blackout: {minWorkers: 1000}
queues:
  acted: {actions: act, idempotent: true, heartbeatTransport: kafka}
  watched: {actions: observe}
`;

export interface StageOptions {
  readonly brokers: string;
  readonly prefix: string;
  readonly hosts: number;
  readonly jobsOfHost: number;
  /** A compiled main. Default: the shipped one. */
  readonly entry?: string;
}

/** Replicas of the shipped service on a database of their own, and hosts that send it events over a broker. */
export class LossStage {
  readonly hosts: readonly Host[];
  readonly replicas: TestProcess[] = [];
  private readonly told = new Set<string>();
  private readonly folder = mkdtempSync(join(tmpdir(), 'jobwarden-loss-'));

  private constructor(
    readonly options: StageOptions,
    private readonly database: TestDatabase,
    readonly client: pg.Client,
  ) {
    const { brokers, hosts, jobsOfHost } = options;
    this.hosts = Array.from({ length: hosts }, (_, i) => new Host({ brokers, topic: this.topic, worker: `w${String(i)}`, jobs: jobsOfHost }));
  }

  /** The service and its hosts, as soon as all jobs run. */
  static async open(options: StageOptions): Promise<LossStage> {
    const database = await createTestDatabase();
    const client = new pg.Client({ connectionString: database.url });
    await client.connect();
    const stage = new LossStage(options, database, client);
    await stage.startReplica();
    await waitUntil('all partitions are read', async () => (await stage.rows('SELECT FROM jobwarden.lanes WHERE lane >= 2 AND read_ms > 0')).length === PARTITIONS, { withinMs: 60_000 });
    for (const host of stage.hosts) host.start();
    const jobs = options.hosts * options.jobsOfHost;
    await waitUntil('all jobs run', async () => (await stage.rows(`SELECT FROM jobwarden.jobs WHERE status = 'processing'`)).length >= jobs, { withinMs: 60_000 });
    return stage;
  }

  async close(): Promise<void> {
    await Promise.allSettled(this.hosts.map((host) => host.stop()));
    await Promise.allSettled(this.replicas.map((replica) => replica.kill()));
    await this.client.end();
    await this.database.drop();
    rmSync(this.folder, { recursive: true, force: true });
  }

  get topic(): string {
    return `${this.options.prefix}events`;
  }

  get url(): string {
    return this.database.url;
  }

  async startReplica(): Promise<TestProcess> {
    const port = String(await freePort());
    const config = join(this.folder, 'policy.yaml');
    writeFileSync(config, POLICY);
    const replica = startProcess({
      entry: this.options.entry ?? serverEntry,
      env: {
        JOBWARDEN_HTTP_PORT: port,
        JOBWARDEN_DATABASE_URL: this.database.url,
        JOBWARDEN_CONFIG: config,
        JOBWARDEN_LOG_LEVEL: 'warn',
        JOBWARDEN_KAFKA_BROKERS: this.options.brokers,
        JOBWARDEN_TOPIC_PREFIX: this.options.prefix,
        JOBWARDEN_KAFKA_PARTITIONS: String(PARTITIONS),
        JOBWARDEN_KAFKA_REPLICATION: '3',
        JOBWARDEN_KAFKA_SESSION_TIMEOUT: '3s',
      },
    });
    this.replicas.push(replica);
    await replica.waitForOk(`http://127.0.0.1:${port}/readyz`, 60_000);
    return replica;
  }

  /** Until every host has been acknowledged as many beats from now on. */
  async rounds(count: number): Promise<void> {
    const ends = this.hosts.map((host) => host.rounds + count);
    await waitUntil(`${String(count)} beats of every host`, () => this.hosts.every((host, i) => host.rounds >= (ends[i] ?? 0)), { withinMs: 90_000 });
  }

  async clockMs(): Promise<number> {
    const [row] = await this.rows<{ ms: string }>('SELECT jobwarden.lane_now() AS ms');
    return Number(row?.ms);
  }

  /** By the database's clock, longer than a lease and its grace. */
  async longerThanALease(): Promise<void> {
    const until = (await this.clockMs()) + LEASE_MS + 2_000;
    await waitUntil('a lease and its grace are over', async () => (await this.clockMs()) > until, { everyMs: 100 });
  }

  /** As the group's coordinator knows them, sorted. Asked by a new client: an old one may go on asking a node that is gone. */
  async members(): Promise<readonly string[]> {
    const admin = kafkaClient(this.options.brokers, { requestTimeout: 3_000 }).admin();
    await admin.connect();
    try {
      const { groups } = await admin.describeGroups([`${this.options.prefix}ingest`]);
      const members = groups[0]?.members ?? [];
      return members.filter(({ memberAssignment }) => memberAssignment.length > 0).map(({ memberId }) => memberId).sort();
    } finally {
      await admin.disconnect();
    }
  }

  async untilMembers(count: number): Promise<void> {
    await waitUntil(`${String(count)} members share the partitions`, async () => (await this.members().catch(() => [])).length === count, { withinMs: 60_000, everyMs: 100 });
  }

  /** The last host starts some jobs and forgets them: one on the watched queue, the others where it is acted. */
  async startSilent(phase: string): Promise<void> {
    await this.hosts.at(-1)?.startSilent([0, 1, 2, 3].map((i) => `silent-${phase}-${String(i)}`));
  }

  /** Until those are found: put back, or on the watched queue said to be due. */
  async untilFound(phase: string): Promise<void> {
    const name = `silent-${phase}-%`;
    const acted = () => this.rows(`SELECT FROM jobwarden.jobs WHERE job_id LIKE $1 AND status = 'requeued' AND attempt = 2`, [name]);
    const watched = () => this.rows(`SELECT FROM jobwarden.verdicts v JOIN jobwarden.jobs j USING (job_key) WHERE j.job_id LIKE $1 AND v.kind = 'would-have'`, [name]);
    const found = await pollUntil(async () => (await acted()).length === 3 && (await watched()).length >= 1, { withinMs: 60_000, everyMs: 100 });
    if (found) return;
    const lanes = await this.rows('SELECT * FROM jobwarden.lanes ORDER BY lane');
    throw new Error(`the silent jobs of ${phase} were not found: ${JSON.stringify(lanes)}\n${this.replicas.map((one) => one.output().slice(-6_000)).join('\n')}`);
  }

  /** Whatever was decided since the last call, or would have been, of jobs that lived all along. There must be none. */
  async verdictsOnTheLiving(): Promise<readonly string[]> {
    const rows = await this.rows<{ verdict: string }>(`
      SELECT j.job_id || ': decision ' || e.type || ' at ' || e.lane_ms AS verdict
      FROM jobwarden.events e JOIN jobwarden.jobs j USING (job_key) WHERE e.n IS NOT NULL AND j.job_id NOT LIKE 'silent-%'
      UNION ALL
      SELECT j.job_id || ': ' || v.kind || ' ' || coalesce(v.verdict, '') || ' at ' || v.first_ms
      FROM jobwarden.verdicts v JOIN jobwarden.jobs j USING (job_key) WHERE j.job_id NOT LIKE 'silent-%'`);
    const fresh = rows.map(({ verdict }) => verdict).filter((verdict) => !this.told.has(verdict));
    for (const verdict of fresh) this.told.add(verdict);
    return fresh.length === 0 ? [] : [`${String(fresh.length)} verdicts`, ...fresh.slice(0, 5)];
  }

  /** While `work` runs no lane can be moved. */
  async withLanesBlocked(work: () => Promise<void>): Promise<void> {
    const client = new pg.Client({ connectionString: this.url });
    await client.connect();
    try {
      await client.query('BEGIN');
      await client.query('SELECT FROM jobwarden.lanes WHERE lane >= 2 FOR UPDATE');
      await work();
    } finally {
      await client.query('ROLLBACK').finally(() => client.end());
    }
  }

  async rows<Row extends object>(text: string, values: readonly unknown[] = []): Promise<Row[]> {
    return (await this.client.query<Row>(text, [...values])).rows;
  }
}
