import { randomUUID } from 'node:crypto';
import {
  ApproveVerdicts,
  Blackouts,
  ClaimJob,
  EVERY_REVISION,
  FactWriter,
  GradeByTime,
  GroupCommit,
  Heartbeats,
  Incidents,
  Ingest,
  QueueGates,
  LANE_HTTP,
  Probing,
  Reconciler,
  withGates,
  type ClaimAnswer,
  type FactItem,
  type FactOutcome,
  type IngestParts,
  type RevisionGate,
  type PolicySource,
  type RunOptions,
  type RunResult,
} from '#libs/application';
import { parseContext, type IngestResult } from '#libs/contracts';
import type { ClaimRequest } from '#libs/domain';
import {
  Database,
  PgBlackoutStore,
  PgClaimReads,
  PgDueStore,
  PgIncidentStore,
  PgLaneClock,
  PgLeaseStore,
  PgLogStore,
  PgProbingStore,
  PgQuarantineStore,
  PgQueueGateStore,
  PgQueueStateStore,
  PgReconciliationStore,
  PgVerdictStore,
  QueueIds,
  pgReadModels,
  workerKey,
} from '#libs/postgres';

/**
 * The real ingest and reconciler on a real database, without the server around them. With a manual clock: time passes
 * when the test says so.
 */
export class World {
  readonly database: Database;
  readonly log: PgLogStore;
  readonly leases: PgLeaseStore;
  readonly clock: PgLaneClock;
  readonly reconciler: Reconciler;
  readonly blackouts: Blackouts;
  readonly ingestUseCase: Ingest;
  readonly gates: QueueGates;
  readonly claims: ClaimJob;
  readonly policies: PolicySource;
  readonly verdicts: PgVerdictStore;
  readonly approvals: ApproveVerdicts;
  private readonly ingestParts: IngestParts;
  private readonly queueIds: QueueIds;
  private eventCount = 0;

  constructor(
    url: string,
    ownPolicies: PolicySource,
  ) {
    this.database = new Database({ url, poolSize: 8, acquireTimeoutMs: 20_000, role: 'jobwarden_app' });
    this.queueIds = new QueueIds(this.database);
    this.gates = new QueueGates(new PgQueueGateStore(this.database, this.queueIds));
    const policies = (this.policies = withGates(ownPolicies, this.gates));
    this.log = new PgLogStore(this.database, this.queueIds, { shards: 16 });
    this.leases = new PgLeaseStore(this.database);
    this.clock = new PgLaneClock(this.database, randomUUID(), 'api,work');
    this.blackouts = new Blackouts({
      store: new PgBlackoutStore(this.database, this.queueIds),
      incidents: new Incidents(new PgIncidentStore(this.database, this.queueIds)),
      policies,
    });
    this.reconciler = new Reconciler({
      due: new PgDueStore(this.database),
      log: this.log,
      clock: this.clock,
      policies,
      runs: new PgReconciliationStore(this.database),
      blackouts: this.blackouts,
      probing: new Probing(new PgProbingStore(this.database), policies),
    });
    this.claims = new ClaimJob({
      ...{ log: this.log, policies, clock: this.clock, gates: this.gates, revisions: EVERY_REVISION },
      reads: new PgClaimReads(this.database),
      retired: pgReadModels(this.database).jobs,
    });
    this.verdicts = new PgVerdictStore(this.database);
    this.approvals = new ApproveVerdicts(this.verdicts, policies);
    const writer = new FactWriter(this.log, policies, LANE_HTTP);
    const context = parseContext({ hashKey: Buffer.alloc(32, 7) });
    this.ingestParts = {
      facts: new GroupCommit<FactItem, FactOutcome>(async (items) => await writer.append(items)),
      heartbeats: new Heartbeats(this.log, this.leases, policies, LANE_HTTP),
      quarantine: new PgQuarantineStore(this.database),
      queueStates: new PgQueueStateStore(this.database, this.queueIds),
      context: () => context,
      workerKey: (namespace, worker) => workerKey(namespace, worker).toString('hex'),
    };
    this.ingestUseCase = new Ingest(this.ingestParts);
  }

  /** Makes the database's clock manual, at `ms`. */
  async startClock(ms: number): Promise<void> {
    await this.database.query(`UPDATE jobwarden.installation SET clock_mode = 'manual', clock_ms = $1`, [ms]);
    await this.read();
  }

  /** Moves the clock to `ms`, and everything that arrived before it counts as read. */
  async at(ms: number): Promise<void> {
    await this.database.query('UPDATE jobwarden.installation SET clock_ms = $1', [ms]);
    await this.read();
  }

  /** Two beats carry the reading to all replicas. */
  async read(): Promise<void> {
    await this.clock.refresh();
  }

  /** A run, and what the service does after each: grades by time. */
  async run(options: RunOptions = {}): Promise<RunResult> {
    const result = await this.reconciler.runOnce(options);
    if (options.dryRun !== true) while (await new GradeByTime(this.verdicts, this.clock).step());
    return result;
  }

  async send(...events: readonly TestEvent[]): Promise<readonly IngestResult[]> {
    const inputs = events.map((e) => this.cloudEvent(e));
    return await this.ingestUseCase.ingest(inputs, { lane: LANE_HTTP, origin: 'test', namespaces: null });
  }

  /** The same way in, where workers are told by `revisions` that their release is out of service. */
  ingestBy(revisions: RevisionGate): World['send'] {
    const ingest = new Ingest({ ...this.ingestParts, revisions });
    return (...events) => ingest.ingest(events.map((e) => this.cloudEvent(e)), { lane: LANE_HTTP, origin: 'test', namespaces: null });
  }

  /** A claim of a job in the queue `q`. */
  async claim(id: string, request: ClaimRequest): Promise<ClaimAnswer> {
    return await this.claims.claim({ namespace: 'default', queue: 'q', id }, request);
  }

  async job(id: string): Promise<TestJob> {
    const [row] = await this.database.query<TestJob>(
      `SELECT status, attempt, n, waits_for AS "waitsFor", look_at_ms AS "lookAtMs", held_by AS "heldBy", state
       FROM jobwarden.jobs WHERE job_id = $1`,
      [id],
    );
    if (row === undefined) throw new Error(`job ${id} is unknown`);
    return row;
  }

  async close(): Promise<void> {
    await this.clock.stop();
    await this.database.close();
  }

  private cloudEvent({ type, job, id, ...data }: TestEvent): unknown {
    this.eventCount += 1;
    const full = type.includes('.') ? type : `jobwarden.job.${type}.v1`;
    const eventId = id ?? String(this.eventCount);
    return { specversion: '1.0', id: eventId, source: 'test', subject: job, type: full, data: { queue: 'q', ...data } };
  }
}

export interface TestEvent {
  /** `started`, or a whole type. */
  readonly type: string;
  /** The job's id (CloudEvents `subject`). */
  readonly job: string;
  /** Event id; the next number when left out. */
  readonly id?: string;
  readonly [field: string]: unknown;
}

export interface TestJob {
  readonly status: string;
  readonly attempt: number;
  readonly n: number;
  readonly waitsFor: string | null;
  readonly lookAtMs: number | null;
  readonly heldBy: string | null;
  readonly state: string;
}
