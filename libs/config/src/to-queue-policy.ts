import type { QueuePolicy, SchemaSource } from '#libs/domain';
import type { PolicySettings } from './policy-settings.js';

/** The domain's form of the same settings, with what follows from others filled in. */
export function toQueuePolicy(settings: PolicySettings): QueuePolicy {
  const perSecond = settings['budget.perSecond'];
  return {
    levels: {
      retry: settings['actions.retry'],
      requeue: settings['actions.requeue'],
      deadLetter: settings['actions.deadLetter'],
      throttle: settings['actions.throttle'],
      rollback: settings['actions.rollback'],
    },
    owner: settings.owner,
    ownerWaitMs: settings.ownerWait,
    claims: settings.claims,
    idempotent: settings.idempotent,
    dedupes: settings.dedupes,
    heartbeatTransport: settings.heartbeatTransport,
    heartbeats: settings.heartbeats,
    leaseMs: settings.lease,
    heartbeatEveryMs: settings.heartbeatEvery ?? Math.floor(settings.lease / 3),
    graceMs: settings.grace,
    stuckAfter: settings.stuckAfter,
    hardTimeoutMs: settings.hardTimeout,
    startByMs: settings.startBy,
    maxRetries: settings.maxRetries,
    backoff: {
      initialMs: settings['backoff.initial'],
      factor: settings['backoff.factor'],
      maxMs: settings['backoff.max'],
      jitter: settings['backoff.jitter'],
    },
    republish: settings.republish,
    maxRedrives: settings.maxRedrives,
    poisonAfter: settings.poisonAfter,
    budget: { perSecond, burst: settings['budget.burst'] ?? burstOf(perSecond) },
    blackout: {
      minWorkers: settings['blackout.minWorkers'],
      share: settings['blackout.share'],
      holdMaxMs: settings['blackout.holdMax'],
    },
    probing: {
      share: settings['probing.share'],
      probes: settings['probing.probes'],
      everyMs: settings['probing.every'],
    },
    saturation: {
      ratio: settings['saturation.ratio'],
      unprocessed: settings['saturation.unprocessed'],
      forMs: settings['saturation.for'],
      windowMs: settings['saturation.window'],
      minProcessed: settings['saturation.minProcessed'],
      recoverBelow: settings['saturation.recoverBelow'],
    },
    retentionMs: settings.retention,
    approvalForMs: settings.approvalFor,
    fallback: settings.fallback,
    fallbackQueue: settings.fallbackQueue,
    schema: settings.schema,
    rollback: {
      target: settings['rollback.target'],
      scaleToZero: settings['rollback.scaleToZero'],
      coolDownMs: settings['rollback.coolDown'],
      approval: settings['rollback.approval'],
      writesPerMinute: settings['rollback.writesPerMinute'],
      watchMs: settings['rollback.watch'],
      onAbort: settings['rollback.onAbort'],
      schema: schemaOf(settings['rollback.schema.databaseUrlEnv'], settings['rollback.schema.query']),
    },
    readmit: {
      steps: settings['readmit.steps'],
      holdMs: settings['readmit.hold'],
      falls: settings['readmit.falls'],
      maxRatio: settings['readmit.maxRatio'],
      minSample: settings['readmit.minSample'],
    },
    gate: {
      alpha: settings['gate.alpha'],
      margin: settings['gate.margin'],
      runTimeFactor: settings['gate.runTimeFactor'],
      minSample: settings['gate.minSample'],
      windowMs: settings['gate.window'],
    },
  };
}

/** Half of it is a fault of the file, told elsewhere. */
function schemaOf(databaseUrlEnv: string | null, query: string | null): SchemaSource | null {
  return databaseUrlEnv === null || query === null ? null : { databaseUrlEnv, query };
}

/** At least one: a bucket that holds less than a whole requeue never lets one out. */
export function burstOf(perSecond: number): number {
  return Math.max(1, Math.ceil(2 * perSecond));
}
