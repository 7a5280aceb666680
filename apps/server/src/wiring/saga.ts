import {
  CarryOut,
  DriveRun,
  Loop,
  ObserveRun,
  OpenRuns,
  PoisonJob,
  QuarantinedRevisions,
  QueuesOfRun,
  RunCalls,
  RunTarget,
  SagaController,
  SaturatedIntake,
  SchemasOfQueues,
  StopSwitch,
  WindowCauses,
  type EvidenceDesk,
  type Failpoint,
  type Incidents,
  type LevelOverrides,
  type LogStore,
  type Orchestrators,
  type PolicySource,
  type QueueGates,
  type RevisionQuarantine,
  type RunStore,
  type SignalDesk,
} from '#libs/application';
import { PgCauseWindows, PgIncidentReads, PgOutcomeStore, PgRunStore, PgSchemaVersions, PgSwitchStore, QueueIds, type Database } from '#libs/postgres';
import type { Logger } from 'pino';
import { ApprovalLinks } from '../http/approval-link.js';
import type { Runs } from '../services.js';
import { traces } from './traces.js';

export interface SagaParts {
  /** For calls. */
  readonly writes: Database;
  /** For what goes on beside them. */
  readonly loops: Database;
  readonly installationKey: Uint8Array;
  readonly incidents: Incidents;
  readonly log: LogStore;
  readonly policies: PolicySource;
  readonly levels: Pick<LevelOverrides, 'refresh'>;
  readonly gates: QueueGates;
  readonly signals: SignalDesk;
  readonly revisions: RevisionQuarantine;
  readonly evidence: Pick<EvidenceDesk, 'ask' | 'standing'>;
  /** Of the process: where the users' own databases are, whose schema is asked. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** `now`: lane time as it was looked at last, ms. */
  readonly orchestrators: (now: () => number) => Orchestrators;
  /** false: this replica lets nothing out. */
  readonly actionsAllowed: boolean;
  readonly failpoint: Failpoint;
  readonly logger: Logger;
}

export interface BuiltSaga {
  readonly runs: Runs;
  /** The controller; of the role `work`. */
  readonly work: readonly Loop[];
}

/** A saturated queue has been so for a minute; what follows waits for clusters and workers. */
const LOOK_EVERY_MS = 500;

/** What is done about queues that have gone critical. */
export function buildSaga(parts: SagaParts): BuiltSaga {
  const { writes, loops, incidents, policies, logger } = parts;
  const lane = { nowMs: 0 };
  const runs = rememberingNow(new PgRunStore(loops, new QueueIds(loops)), lane);
  const controller = buildController(parts, runs, parts.orchestrators(() => lane.nowMs));
  const loop = new Loop(() => controller.step(), {
    idleMs: LOOK_EVERY_MS,
    onError: (error) => logger.warn({ err: error }, 'a look at saturated queues failed, and is repeated'),
  });
  const store = new PgRunStore(writes, new QueueIds(writes));
  const calls = new RunCalls({
    ...{ incidents, reads: new PgIncidentReads(writes), runs: store, queuesOf: new QueuesOfRun(store, policies), policies },
    opened: () => loop.wake(),
  });
  return { runs: { calls, store, links: new ApprovalLinks(parts.installationKey) }, work: [loop] };
}

function buildController({ loops, incidents, log, policies, levels, gates, signals, revisions: quarantine, evidence, actionsAllowed, failpoint, env, logger }: SagaParts, runs: RunStore, orchestrators: Orchestrators): SagaController {
  const outcomes = new PgOutcomeStore(loops);
  const queuesOf = new QueuesOfRun(runs, policies);
  const causes = new WindowCauses({ windows: new PgCauseWindows(loops), outcomes, monotonicMs: () => performance.now() });
  const intake = new SaturatedIntake({ runs, gates, outcomes });
  const target = new RunTarget(orchestrators);
  const revisions = new QuarantinedRevisions(quarantine);
  const actions = new StopSwitch(new PgSwitchStore(loops));
  const observe = new ObserveRun({
    ...{ runs, signals, causes, target, revisions, evidence, intake, outcomes, schemas: new SchemasOfQueues(policies, new PgSchemaVersions({ env })) },
    actionsOn: async () => actionsAllowed && (await actions.read()).enabled,
  });
  const carryOut = new CarryOut({ runs, target, revisions, evidence, intake, poison: new PoisonJob(log, policies) });
  return new SagaController({
    runs,
    open: new OpenRuns({
      ...{ signals, incidents, runs, queuesOf, causes, policies },
      suppressed: (subject, put, why) => logger.warn({ subject, signals: put.map(({ id }) => id), why }, 'signals are put off: a run acted there, or would have, not long ago'),
    }),
    driver: new DriveRun({ runs, reads: new PgIncidentReads(loops), incidents, policies, refreshLevels: () => levels.refresh(), queuesOf, observe, carryOut, failpoint, traces: traces() }),
    failed: (incidentId, error) => logger.error({ incidentId, err: error }, 'a run could not be driven, and is looked at again'),
  });
}

/** Whatever is simulated goes by the lane's clock, which is a manual one where things are simulated most. */
function rememberingNow(runs: PgRunStore, lane: { nowMs: number }): RunStore {
  const nowMs = async (): Promise<number> => (lane.nowMs = await runs.nowMs());
  return Object.assign(Object.create(runs) as PgRunStore, { nowMs });
}
