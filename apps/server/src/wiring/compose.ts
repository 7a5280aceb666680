import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import {
  Blackouts,
  LaneIncidents,
  LevelOverrides,
  IncidentDeliveries,
  JobNotices,
  QueueGates,
  type JobWrite,
} from '#libs/application';
import { HotKeys } from '#libs/observability';
import {
  PgBlackoutStore,
  PgLaneClock,
  PgLevelStore,
  PgLogStore,
  PgNoticeReads,
  PgPublishingReport,
  PgQueueGateStore,
  PgRecoveryStore,
  pgReadModels,
  QueueIds,
} from '#libs/postgres';
import { Authenticator } from '../auth/authenticator.js';
import { Background } from './background.js';
import { buildCanaryGate } from './canary-gate.js';
import { buildClaims } from './claims.js';
import { buildCollector } from './collecting.js';
import { buildComparing } from './comparing.js';
import type { Composition, CompositionParts } from './composition.js';
import { countedLane } from './counted-lane.js';
import { buildDashboard } from './dashboard.js';
import { buildDeadLetters } from './dead-letters.js';
import { buildEvidence } from './evidence.js';
import { buildIncidents } from './incidents.js';
import { buildIntake } from './intake.js';
import { buildKafka } from './kafka.js';
import { buildLearning } from './learning.js';
import { levelsLoop } from './levels.js';
import { countCommitted, MeasuredLog } from './measured-log.js';
import { buildOperating } from './operating.js';
import { buildOrchestrators } from './orchestrators.js';
import { FilePolicies } from './policies.js';
import { buildPostmortems } from './postmortems.js';
import { buildPublishing } from './publishing.js';
import { buildReconciling } from './reconciling.js';
import { buildRevisions } from './revisions.js';
import { buildSaga } from './saga.js';
import { buildSignals } from './signals.js';
import { tellLeftBehind } from './tell-left-behind.js';
import { tellRestored } from './tell-restored.js';
import { tracedLog } from './traces.js';
import { buildVerdicts } from './verdicts.js';

/** Everything between the pools and the routes, made in the order in which one part needs the other. */
export function compose(parts: CompositionParts): Composition {
  const { environment, env, installation, databases, files, webhooks, lifecycle, metrics, log, failpoint } = parts;
  const { writes, reads, loops } = databases;
  const replicaId = randomUUID();
  const hotQueues = new HotKeys();
  const told: ((written: readonly JobWrite[]) => void)[] = [(written) => countCommitted(metrics, written, hotQueues)];
  const committed = (written: readonly JobWrite[]) => told.forEach((tell) => tell(written));
  const { shards, hashKey, clockMode } = installation;

  const filePolicies = new FilePolicies(files, hashKey);
  const overrides = new LevelOverrides(new PgLevelStore(writes, new QueueIds(writes)), filePolicies);
  const gates = new QueueGates(new PgQueueGateStore(writes, new QueueIds(writes)));
  const recovery = new PgRecoveryStore(loops);
  const toldRestored = tellRestored(log, metrics);
  const noticeRestore = async (): Promise<void> => {
    toldRestored(await recovery.notice());
  };
  const clock = new PgLaneClock(loops, replicaId, environment.roles.join(','), {
    name: `${hostname()}/${String(process.pid)}`,
    refusalsRead: () => revisions.quarantine.goesBy,
    onError: (error) => log.warn({ err: error }, 'a beat failed'),
  });
  const toldLeftBehind = tellLeftBehind(log);
  const logOf = (database: typeof writes) =>
    tracedLog(new MeasuredLog(new PgLogStore(database, new QueueIds(database), { shards, failpoint, committed }), metrics));
  const [callLog, workLog] = [logOf(writes), logOf(loops)];
  const learning = buildLearning({ database: loops, log: workLog, policies: () => policies.source, logger: log });
  const policies = filePolicies.withLevels(overrides, gates, learning.thresholds);
  const incidents = buildIncidents({ database: loops, metrics, log, stepped: () => publishing.publisher.wake() });
  const blackouts = new Blackouts({
    store: new PgBlackoutStore(loops, new QueueIds(loops)),
    incidents: incidents.incidents,
    policies: policies.source,
  });

  const verdicts = buildVerdicts({
    ...{ writes, loops, clock, overrides, metrics },
    policies: policies.source,
    incidents: incidents.incidents,
  });
  const reconciling = buildReconciling({
    blackouts,
    database: loops,
    log: workLog,
    clock,
    policies: policies.source,
    metrics,
    logger: log,
    clockMode,
    learn: () => learning.thresholds.refresh(),
    actionsAllowed: environment.actions === 'on',
    afterRun: verdicts.afterRun,
  });
  const readModels = pgReadModels(reads);
  const evidence = buildEvidence(writes);
  const revisions = buildRevisions({ writes, reads, policies: policies.source, clock, readModels });
  const canaryGate = buildCanaryGate({ writes, reads, policies: policies.source, metrics });
  const kafka = buildKafka({
    environment,
    databases,
    replicaId,
    logOf,
    policies: policies.source,
    context: () => filePolicies.context('kafka'),
    reads: readModels,
    clock,
    clockMode,
    metrics,
    log,
    failpoint,
    incidents: incidents.incidents,
  });
  const publishing = buildPublishing({
    databases,
    webhooks,
    policies: policies.source,
    metrics,
    log,
    replicaId,
    actions: environment.actions,
    failpoint,
    sinks: kafka.kafkaOut === null ? [] : [kafka.kafkaOut.sink],
  });
  told.push(reconciling.committed, () => publishing.publisher.wake());
  const intake = buildIntake({
    database: writes,
    queueIds: new QueueIds(writes),
    log: callLog,
    policies: policies.source,
    context: () => filePolicies.context('http'),
    metrics,
    revisions: revisions.quarantine,
    evidence: evidence.desk,
  });
  const report = new PgPublishingReport(reads);
  const collector = buildCollector({
    ...{ databases, metrics, clock, replicaId, log, hotQueues, reads: readModels, publishing: report },
    ...{ incidents: incidents.store, revisions: revisions.quarantine, baselines: () => learning.thresholds.baselines() },
    kafkaConnected: () => kafka.kafkaIn?.healthy ?? null,
  });
  const signals = buildSignals({ writes, loops, files, policies: policies.source, metrics, log });
  const saga = buildSaga({
    ...{ writes, loops, gates, failpoint, installationKey: hashKey, log: workLog, logger: log, policies: policies.source, levels: overrides },
    ...{ incidents: incidents.incidents, signals: signals.desk, revisions: revisions.quarantine, evidence: evidence.desk },
    orchestrators: (now) => buildOrchestrators({ environment, env, files, redactor: policies.redactor, now }),
    actionsAllowed: environment.actions === 'on',
    env,
  });
  const operating = buildOperating({
    ...{ writes, policies, environment, log: callLog, reads: readModels, replay: intake.replay },
    ...{ lanesRead: kafka.lanesRead, attended: reconciling.attended },
  });
  const deadLetters = buildDeadLetters({ writes, loops, jobs: operating.jobs, policies: policies.source, log });
  const background = new Background({
    database: loops,
    log: workLog,
    policies: policies.source,
    files,
    metrics,
    logger: log,
    shards,
  });

  const claims = buildClaims({ writes, log: callLog, policies: policies.source, clock, gates, revisions: revisions.quarantine, reads: readModels, metrics });
  const dashboard = buildDashboard({ databases, replicaId, log, gates: canaryGate.answers, baselines: () => learning.thresholds.baselines() });
  return {
    services: {
      log,
      lifecycle,
      authenticator: new Authenticator(() => files.current.tokens),
      policies,
      metrics,
      collect: () => collector.collect(),
      databaseIsThere: () => databases.isThere(),
      leftBehind: () => clock.leftBehind,
      reads: readModels,
      intake,
      claims,
      revisions,
      canaryGate,
      evidence,
      operate: {
        ...operating,
        levels: overrides,
        gates,
        incidents: incidents.incidents,
        ...deadLetters.operate,
        blackouts,
        laneIncidents: new LaneIncidents(incidents.incidents),
        verdicts: verdicts.approvals,
        wrongActs: verdicts.wrongActs,
      },
      runs: saga.runs,
      incidentDeliveries: new IncidentDeliveries(report, webhooks),
      jobNotices: new JobNotices(new PgNoticeReads(reads), webhooks),
      reconciling: { ...reconciling, compare: buildComparing({ reads, log: callLog, clock, policies: policies.source, actions: environment.actions }) },
      signals: signals.calls,
      postmortems: buildPostmortems(writes, reads),
      streams: publishing.streams,
      ...dashboard.services,
      publishing: report,
      clock: countedLane(clock),
      laneCalls: kafka.calls,
      eventIntake: kafka.kafkaIn?.intake ?? null,
    },
    kafka,
    loops: {
      clock,
      noticeRestore,
      learning,
      levels: levelsLoop(log, [
        () => overrides.refresh(),
        () => gates.refresh(),
        () => revisions.quarantine.refresh(),
        () => evidence.desk.refresh(),
        noticeRestore,
        () => toldLeftBehind(clock.leftBehind),
      ]),
      work: [reconciling.loop, publishing.publisher, publishing.deliveries, ...publishing.notices, ...deadLetters.work, ...signals.work, ...saga.work, dashboard.sampling, background],
    },
  };
}
