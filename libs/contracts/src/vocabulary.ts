import {
  DECISION_KINDS,
  DECISION_SOURCE,
  type DecisionKind,
  type FactType,
  type IncidentStepType,
  type ThresholdSource,
  type ClaimState,
} from '#libs/domain';

/**
 * The words of the public contract that are not already words of the domain (status, anomaly, verdict, level and
 * action codes come from there).
 */

/** What became of one event at intake. */
export const INGEST_OUTCOME = {
  appended: 'appended',
  duplicate: 'duplicate',
  recorded: 'recorded',
  refused: 'refused',
  quarantined: 'quarantined',
} as const;
export type IngestOutcome = (typeof INGEST_OUTCOME)[keyof typeof INGEST_OUTCOME];

/** Why an event could not be stored as sent. */
export const QUARANTINE_REASON = {
  unreadable: 'unreadable',
  unknown_type: 'unknown_type',
  schema: 'schema',
  id_reused: 'id_reused',
  decision_from_outside: 'decision_from_outside',
  too_old: 'too_old',
  too_large: 'too_large',
  unstorable: 'unstorable',
} as const;
export type QuarantineReason = (typeof QUARANTINE_REASON)[keyof typeof QUARANTINE_REASON];

/** Why a write or a claim was not accepted. */
export const REFUSAL = {
  superseded: 'superseded',
  held: 'held',
  finished: 'finished',
  token_unknown: 'token_unknown',
  token_required: 'token_required',
  revision_quarantined: 'revision_quarantined',
} as const;
export type RefusalCode = (typeof REFUSAL)[keyof typeof REFUSAL];

/** What a worker should do with the attempt that it reported on. */
export const CLAIM_STATE = {
  goOn: 'go-on',
  restartRequested: 'restart-requested',
  superseded: 'superseded',
  finished: 'finished',
} as const satisfies Readonly<Record<string, ClaimState>>;

/** What later facts made of a would-have. */
export const GRADE = { confirmed: 'confirmed', wrong: 'wrong', open: 'open' } as const;
export type Grade = (typeof GRADE)[keyof typeof GRADE];

/** Those that an approval can turn into a decision. */
export const APPROVABLE_STATES = ['shown', 'proposed', 'expired'] as const;
/** What has become of a verdict as something to do. */
export const VERDICT_STATES = ['shown', 'proposed', 'approved', 'decided', 'refused', 'expired', 'lapsed'] as const;

/** What a verdict is: only said, nothing to be done, or done. */
export const VERDICT_KINDS = ['would-have', 'report', 'act'] as const;

/** What a look at one job came to. */
export const LOOK_OUTCOMES = ['decided', 'would-have', 'reported', 'held', 'refused'] as const;

/** What a run of the reconciler was made for. */
export const RUN_TRIGGERS = ['schedule', 'request', 'dry-run'] as const;

/** Why an invalidation goes out. */
export const INVALIDATION_CAUSE = { completed: 'completed', requeue: 'requeue', requested: 'requested' } as const;
export type InvalidationCause = (typeof INVALIDATION_CAUSE)[keyof typeof INVALIDATION_CAUSE];

/** Where a threshold came from, most specific first. */
export const THRESHOLD_SOURCES = [
  'job',
  'kind',
  'queue',
  'learned',
  'default',
] as const satisfies readonly ThresholdSource[];

/** Job facts that workers and services send. `heartbeat` is evidence of life and goes to the lease table. */
export const FACT_KINDS = [
  'queued',
  'claimed',
  'started',
  'heartbeat',
  'released',
  'lease-renewal-failed',
  'succeeded',
  'failed',
  'cancelled',
] as const satisfies readonly (FactType | 'heartbeat')[];
export type FactKind = (typeof FACT_KINDS)[number];
export type FactEventType = `jobwarden.job.${FactKind}.v1`;

export const WORKER_HEARTBEAT_TYPE = 'jobwarden.worker.heartbeat.v1';
export const QUEUE_STATE_TYPE = 'jobwarden.queue.state.v1';
export const ENQUEUE_COMMAND_TYPE = 'jobwarden.command.enqueue.v1';
export const STOP_COMMAND_TYPE = 'jobwarden.command.stop.v1';
export const INVALIDATION_TYPE = 'jobwarden.invalidation.v1';
export const STUCK_TYPE = 'jobwarden.stuck.v1';
export const DEAD_LETTER_TYPE = 'jobwarden.job.dead-lettered.v1';

/** `source` of everything that Jobwarden itself says; reserved, an event from outside may not use it. */
export const RESERVED_SOURCE = DECISION_SOURCE;

/** The event type of a fact or decision about a job: `jobwarden.job.<kind>.v1`. */
export function jobEventType<K extends FactKind | DecisionKind>(kind: K): `jobwarden.job.${K}.v1` {
  return `jobwarden.job.${kind}.v1`;
}

/** The event type of an incident's step: `jobwarden.incident.<step>.v1`. */
export function incidentEventType<S extends IncidentStepType>(step: S): `jobwarden.incident.${S}.v1` {
  return `jobwarden.incident.${step}.v1`;
}

/**
 * Is this a type that only Jobwarden makes? `jobwarden.job.cancelled.v1` is not: from outside it is a request.
 * Queue decisions, incidents, commands and invalidations are Jobwarden's too.
 */
export function isReservedType(type: string): boolean {
  return RESERVED_JOB_TYPES.has(type) || RESERVED_PREFIXES.test(type);
}

const RESERVED_JOB_TYPES: ReadonlySet<string> = new Set(
  DECISION_KINDS.filter((kind) => kind !== 'cancelled').map(jobEventType),
);
const RESERVED_PREFIXES =
  /^jobwarden\.(?:queue\.(?:paused|throttled|resumed)\.v\d+$|incident\.|command\.|invalidation\.v\d+$)/u;

/** In whose words a webhook is told. */
export const WEBHOOK_FORMATS = ['standard', 'pagerduty', 'slack'] as const;
/** How a step of an incident stands at a webhook. */
export const DELIVERY_STATES = ['unsent', 'waiting', 'refused', 'parked', 'delivered'] as const;
/** How the notice that a job is stuck stands at a webhook. */
export const NOTICE_STATES = ['gathering', 'waiting', 'refused', 'delivered'] as const;
