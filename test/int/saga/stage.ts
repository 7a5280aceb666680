import { randomUUID } from 'node:crypto';
import {
  CarryOut,
  DriveRun,
  Incidents,
  noFailpoint,
  ObserveRun,
  OpenRuns,
  PoisonJob,
  QuarantinedRevisions,
  QueuesOfRun,
  RevisionQuarantine,
  RunCalls,
  RunTarget,
  SagaController,
  SaturatedIntake,
  SchemasOfQueues,
  Signals,
  StopSwitch,
  WindowCauses,
  type CauseDesk,
  type CommonCauses,
  type Failpoint,
  type Orchestrator,
  type QueueRates,
  type RunStore,
  type ToldSignal,
} from '#libs/application';
import { causeSubject, type Cause, type EvidenceLook, type IncidentStep, type QueuePolicy, type SeenCause } from '#libs/domain';
import { memoryStore, SimulatedOrchestrator, simulatedPool, somebodyWishes, type SimulatedPoolOptions } from '#libs/orchestrators';
import type {
  Database} from '#libs/postgres';
import {
  PgCauseWindows,
  PgIncidentStore,
  PgLaneClock,
  PgMaintenanceStore,
  PgOutcomeStore,
  PgRefusedRevisionStore,
  PgRevisionReads,
  PgRunStore,
  PgSchemaVersions,
  PgSignalStore,
  PgSwitchStore,
  pgReadModels,
  QueueIds,
} from '#libs/postgres';
import { createTestDatabase, DEFAULT_POLICY, fixedPolicies, World, type TestDatabase } from '#libs/testing';

export const T0 = 1_760_000_000_000;
export const TARGET = 'simulated:workers';

export const cause = (changes: Partial<SeenCause> = {}): SeenCause => ({
  ...{ cause: 'bad_revision', subject: 'v2', confidence: 0.97, selfSustained: false, action: 'rollback', evidence: [] },
  ...changes,
});

/** Saturated queues on a real database: the controller, a simulated pool and the quarantine are the real ones; what the log would say is told by the test. */
export class Stage {
  assessed: SeenCause | null = cause();
  firstSeenMs: number | null = T0 - 60_000;
  healthy: readonly string[] = ['v1'];
  evidence: EvidenceLook = { outcome: 'no-worker', figures: {} };
  failRatio = 0;
  nowMs = T0;
  applied = 0;
  /** Of the process: where the users' databases are. */
  readonly env: Record<string, string> = {};
  /** What was put off, as the log says it. */
  readonly putOff: string[] = [];
  /** What runs the workers, instead of the simulated pool, and how long a call of it may take. */
  cluster: { readonly orchestrator: Orchestrator; readonly withinMs: number } | null = null;
  readonly pools;
  readonly orchestrator: SimulatedOrchestrator;
  private readonly beats: PgLaneClock;
  readonly calls: RunCalls;
  readonly runs: PgRunStore;
  readonly signals: PgSignalStore;
  readonly quarantine: RevisionQuarantine;
  readonly incidents: Incidents;

  private constructor(
    readonly world: World,
    private readonly database: TestDatabase,
    pool: SimulatedPoolOptions,
  ) {
    this.pools = memoryStore({ workers: simulatedPool({ nowMs: T0 - 1_000, ...pool }) });
    this.orchestrator = new SimulatedOrchestrator({ store: this.pools, now: () => this.nowMs });
    const { database: db, policies } = world;
    this.runs = new PgRunStore(db, new QueueIds(db));
    this.signals = new PgSignalStore(db);
    this.beats = new PgLaneClock(db, randomUUID(), 'api,work', { refusalsRead: () => this.quarantine.goesBy });
    this.quarantine = new RevisionQuarantine({
      ...{ store: new PgRefusedRevisionStore(db), reads: new PgRevisionReads(db), policies, clock: this.beats, nowMs: () => performance.now() },
    });
    this.incidents = new Incidents(new PgIncidentStore(db, new QueueIds(db)));
    this.calls = new RunCalls({
      ...{ incidents: this.incidents, reads: pgReadModels(db).incidents, runs: this.runs, policies, opened: () => undefined },
      queuesOf: new QueuesOfRun(this.runs, policies),
    });
  }

  static async open(changes: Partial<QueuePolicy> = {}, pool: SimulatedPoolOptions = {}): Promise<Stage> {
    const database = await createTestDatabase();
    const rollback = { ...DEFAULT_POLICY.rollback, target: TARGET, approval: false, ...changes.rollback };
    const world = new World(database.url, fixedPolicies({ ...changes, rollback }, 'act'));
    await world.startClock(T0);
    await world.database.query('DELETE FROM jobwarden.replicas');
    return new Stage(world, database, pool);
  }

  async close(): Promise<void> {
    await this.beats.stop();
    await this.world.close();
    await this.database.drop();
  }

  /** A replica's controller, on connections of its own if it is to race another one. */
  controller(options: { failpoint?: Failpoint; database?: Database; causes?: CauseDesk & CommonCauses; refreshLevels?: () => Promise<void> } = {}): SagaController {
    const { failpoint = noFailpoint, database: db = this.world.database, causes = this.stubbed(), refreshLevels = () => Promise.resolve() } = options;
    const { policies, gates, log } = this.world;
    const runs: RunStore = new PgRunStore(db, new QueueIds(db));
    const incidents = new Incidents(new PgIncidentStore(db, new QueueIds(db)));
    const queuesOf = new QueuesOfRun(runs, policies);
    const desk = new Signals({ store: this.signals, windows: new PgMaintenanceStore(db), policies, settled: () => undefined });
    const outcomes = { rates: () => Promise.resolve(this.rates()) };
    const intake = new SaturatedIntake({ runs, gates, outcomes });
    const target = new RunTarget({ for: () => this.cluster?.orchestrator ?? this.counted() }, this.cluster?.withinMs);
    const revisions = new QuarantinedRevisions(this.quarantine);
    const ask = () => {
      if (this.evidence.outcome === 'not-asked') this.evidence = { outcome: 'captured', figures: {} };
      return Promise.resolve();
    };
    const evidence = { ask, standing: () => Promise.resolve(this.evidence) };
    const actions = new StopSwitch(new PgSwitchStore(db));
    const observe = new ObserveRun({
      ...{ runs, signals: desk, causes, target, revisions, evidence, intake, outcomes, schemas: new SchemasOfQueues(policies, new PgSchemaVersions({ env: this.env })) },
      actionsOn: async () => (await actions.read()).enabled,
    });
    const carryOut = new CarryOut({ runs, target, revisions, evidence, intake, poison: new PoisonJob(log, policies) });
    const driver = new DriveRun({ runs, reads: pgReadModels(db).incidents, incidents, policies, refreshLevels, queuesOf, observe, carryOut, failpoint });
    const suppressed = (subject: string, _: unknown, why: string) => void this.putOff.push(`${subject}: ${why}`);
    const open = new OpenRuns({ signals: desk, incidents, runs, queuesOf, causes, policies, suppressed });
    const failed = (id: string, error: unknown): never => {
      throw new Error(`run ${id} could not be driven`, { cause: error });
    };
    return new SagaController({ runs, open, driver, failed });
  }

  /** Causes by what the log of this database says. */
  realCauses(): WindowCauses {
    const { database: db } = this.world;
    return new WindowCauses({ windows: new PgCauseWindows(db), outcomes: new PgOutcomeStore(db), monotonicMs: () => performance.now() });
  }

  /** Causes as the test tells them. */
  private stubbed(): CauseDesk & CommonCauses {
    return {
      assessed: () => Promise.resolve(this.assessed === null ? null : { assessment: this.assessed, firstSeenMs: this.firstSeenMs }),
      healthy: () => Promise.resolve(this.healthy),
      common: (queues) => {
        const { cause: named, subject } = this.assessed ?? cause({ cause: 'unknown', subject: null });
        return Promise.resolve(new Map(queues.map(({ namespace, queue }) => [`${namespace}/${queue}`, causeSubject(namespace, named as Cause, subject)])));
      },
    };
  }

  async saturate(...queues: readonly string[]): Promise<void> {
    await this.world.send(...queues.map((queue) => ({ type: 'queued', job: `of-${queue}`, queue })));
    await this.signals.tell(queues.map((queue) => this.signalOf(queue)));
  }

  async calm(...queues: readonly string[]): Promise<void> {
    await this.signals.tell(queues.map((queue) => ({ ...this.signalOf(queue), firing: false })));
  }

  /** An alert that fires anew, and one that ends: each time it has begun at another time. */
  async flap(queue: string, n: number, firing = true): Promise<void> {
    const identity = n.toString(16).padStart(32, 'f');
    await this.signals.tell([{ ...this.signalOf(queue), identity, source: 'alertmanager', startsMs: T0 + n, firing }]);
  }

  /** How each signal stands, the oldest first. */
  async told(): Promise<readonly (readonly [settled: string | null, detail: string | null])[]> {
    const { items } = await this.signals.list({ namespaces: 'all' }, { limit: 1_000, after: null });
    return items.map(({ settled, detail }) => [settled, detail] as const).reverse();
  }

  /** Second by second, until the newest incident is over or with a person. */
  async drive(controller: SagaController, until: (steps: readonly IncidentStep[]) => boolean = ended, forMs = 2_000_000): Promise<readonly IncidentStep[]> {
    const endsMs = this.nowMs + forMs;
    for (;;) {
      while (await controller.step());
      const steps = await this.steps();
      if (until(steps)) return steps;
      if (this.nowMs >= endsMs) throw new Error(`not so within ${String(forMs)} ms: ${steps.map(({ type }) => type).join(', ')}`);
      await this.pass(5_000);
    }
  }

  async pass(ms: number): Promise<void> {
    this.nowMs += ms;
    await this.world.database.query('UPDATE jobwarden.installation SET clock_ms = $1', [this.nowMs]);
    await this.beat();
  }

  /** Every live replica tells which version of the refused revisions it goes by. */
  async beat(): Promise<void> {
    await this.quarantine.refresh();
    await this.beats.refresh();
  }

  async all(): Promise<readonly { readonly id: string; readonly subject: string }[]> {
    return await this.world.database.query<{ id: string; subject: string }>(`SELECT incident_id::text AS id, subject FROM jobwarden.incidents WHERE kind = 'saturation' ORDER BY incident_id`);
  }

  async steps(): Promise<readonly IncidentStep[]> {
    const id = (await this.all()).at(-1)?.id;
    return id === undefined ? [] : ((await pgReadModels(this.world.database).incidents.one(id))?.steps ?? []);
  }

  async gate(queue: string): Promise<string> {
    await this.world.gates.refresh();
    const gate = this.world.gates.of({ namespace: 'default', queue });
    return gate === null ? 'open' : `${gate.gate}${gate.perSecond === null ? '' : ` ${String(gate.perSecond)}`}`;
  }

  async pool(): Promise<{ revision: string | null; wanted: number; available: number }> {
    const { revision, wanted, available } = await this.orchestrator.observe(TARGET, AbortSignal.timeout(1_000));
    return { revision, wanted, available };
  }

  /** Somebody else wishes for another number of pods. */
  async scaledBy(manager: string, replicas: number): Promise<void> {
    await this.orchestrator.observe(TARGET, AbortSignal.timeout(1_000));
    const { workers } = this.pools.load();
    if (workers !== undefined) this.pools.save({ workers: somebodyWishes(workers, { replicas }, { manager, atMs: this.nowMs }) });
  }

  private counted(): SimulatedOrchestrator {
    const { orchestrator } = this;
    return Object.assign(Object.create(orchestrator) as SimulatedOrchestrator, {
      apply: async (...args: Parameters<SimulatedOrchestrator['apply']>) => {
        this.applied += 1;
        return await orchestrator.apply(...args);
      },
    });
  }

  signalOf(queue: string): ToldSignal {
    const identity = Buffer.from(queue.padEnd(16, ' ').slice(-16)).toString('hex');
    return { identity, source: 'evaluator', fingerprint: queue, startsMs: T0, namespace: 'default', queue, firing: true, figures: { ratio: 0.4, unprocessed: 6_000 }, refused: null };
  }

  private rates(): readonly QueueRates[] {
    const failed = Math.round(100 * this.failRatio);
    const counts = { queued: 100, started: 36_000, succeeded: 100 - failed, failed, lost: 0, deadLettered: 0, writeRefused: 0, contradicted: 0 };
    const revision = { revision: 'v1', track: '', counts, firstMs: 0, lastMs: 0 };
    return [{ namespace: 'default', queue: 'mails', counts, revisions: [revision] }];
  }
}

export function ended(steps: readonly IncidentStep[]): boolean {
  const last = steps.at(-1)?.type;
  return last === 'resolved' || last === 'escalated';
}

export const typesOf = (steps: readonly IncidentStep[]): string[] => steps.map(({ type }) => type).filter((type) => type !== 'noted');
