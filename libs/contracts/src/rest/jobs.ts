import { Type, type Static } from 'typebox';
import { ANOMALY_CODES, DECISION_KINDS, JOB_STATUSES } from '#libs/domain';
import {
  BodyRef,
  count,
  duration,
  grantedAttempt,
  instant,
  Invalidates,
  jobId,
  namespace,
  nullable,
  oneOf,
  Position,
  queue,
  token,
  Worker,
} from '../schemas/field.js';
import { listOf, listQuery } from './problem.js';

/** `GET /v1/jobs`, `GET /v1/queues/{queue}/jobs/{id}` and `…/events`. */

export const JobStatusWord = oneOf(JOB_STATUSES, { description: 'Where the job stands.' });

export const JobsQuery = Type.Object({
  ...listQuery,
  queue: Type.Optional(Type.String({ description: 'Only this queue.' })),
  status: Type.Optional(JobStatusWord),
  id: Type.Optional(Type.String({ description: 'Only this job id.' })),
  kind: Type.Optional(Type.String({ description: 'Only this kind.' })),
  worker: Type.Optional(Type.String({ description: 'Only jobs that this worker id runs.' })),
  since: Type.Optional(instant('Only jobs whose status holds since then or later.')),
  held: Type.Optional(Type.Boolean({ description: 'true: only jobs that something is due of and that are held back; see `heldBy`.' })),
});

const summary = {
  namespace,
  queue,
  id: jobId,
  kind: nullable(Type.String(), { description: 'What sort of job it is, where that was said.' }),
  status: JobStatusWord,
  attempt: grantedAttempt,
  n: count('Number of the last decision; 0 = none.'),
  token,
  waitsFor: nullable(Type.String(), {
    description: 'What it waits for, such as `start`, `lease`, `grace`, `backoff`; null = for nothing.',
  }),
  since: instant('Since when the status holds, by the lane’s clock.'),
  lookAt: nullable(instant('When it is looked at next; null = not until an event changes it.')),
  heldBy: Type.Optional(
    Type.String({ description: 'What holds it back, such as `paused`, `quarantine`, `blackout`, `actions_off`.' }),
  ),
};

export const JobSummary = Type.Object(summary, { description: 'A job in a list.' });

const ErrorView = Type.Object({
  class: Type.String(),
  message: Type.String(),
  code: Type.Optional(Type.String()),
  responseStatus: Type.Optional(Type.Integer()),
  stack: Type.Optional(BodyRef),
});

export const AttemptView = Type.Object(
  {
    attempt: grantedAttempt,
    token: Type.Optional(token),
    outcome: nullable(oneOf(['succeeded', 'failed-for-good', 'failed'] as const), {
      description: 'How it ended by its own facts; null = not yet, or never.',
    }),
    startedAt: Type.Optional(instant('First evidence of a start, by the lane’s clock.')),
    endedAt: Type.Optional(instant('When its end was read, by the lane’s clock.')),
    startTime: Type.Optional(instant('Start by the emitter’s clock.')),
    endTime: Type.Optional(instant('End by the emitter’s clock.')),
    durationMs: Type.Optional(Type.Number({ description: 'As the emitter measured it.' })),
    lastBeatAt: Type.Optional(instant('Last heartbeat, by the lane’s clock.')),
    leaseEndsAt: Type.Optional(instant('When it will be taken for lost without another heartbeat.')),
    releasedAt: Type.Optional(instant('When the worker let go.')),
    overlapMs: Type.Optional(duration('For how long its worker was still heard of after a later attempt had begun.')),
    claimId: Type.Optional(Type.String({ description: 'The claim that redeemed it: its writes need the token.' })),
    workers: Type.Array(Worker, { description: 'Everyone who started it; more than one is worth a look.' }),
    progress: Type.Optional(Type.Unknown({ description: 'Last progress, any JSON.' })),
    error: Type.Optional(ErrorView),
    retryAfterMs: Type.Optional(duration('Asked for by the failed attempt.')),
    snapshot: Type.Optional(BodyRef),
  },
  { description: 'One run.' },
);

export const DecisionView = Type.Object(
  {
    n: Type.Integer({ minimum: 1, description: 'Number within the job.' }),
    kind: oneOf(DECISION_KINDS, { description: 'What was decided.' }),
    attempt: count('The attempt that ended, or the one granted.'),
    token: Type.Optional(token),
    reason: Type.String({ description: 'A stable word.' }),
    by: Type.String({ description: '`jobwarden`, or who asked.' }),
    at: instant('When, by the lane’s clock.'),
    evidence: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
    dueAt: Type.Optional(instant('When the backoff passes.')),
    payload: Type.Optional(BodyRef),
    previousWorker: Type.Optional(Worker),
  },
  { description: 'One decision.' },
);

export const AnomalyView = Type.Object(
  {
    code: oneOf(ANOMALY_CODES, { description: 'Which contradiction.' }),
    attempt: count('0 = of the job as a whole.'),
    workers: Type.Optional(Type.Array(Worker, { description: 'Of two successes: who may have done the work.' })),
  },
  { description: 'A contradiction: kept and shown.' },
);

export const ErasureView = Type.Object(
  {
    at: instant('When, by the lane’s clock.'),
    by: Type.String({ description: 'Who asked for it.' }),
    reason: Type.String(),
  },
  { description: 'Its bodies (payload, snapshots, stacks, long messages) were erased, and what comes later of them is not kept.' },
);

export const JobDetail = Type.Object(
  {
    ...summary,
    byHand: Type.Optional(Type.Boolean({ description: 'The status was set by hand.' })),
    queuedAt: Type.Optional(instant('When `queued` was read, by the lane’s clock.')),
    traceId: Type.Optional(Type.String({ description: 'W3C trace that it belongs to, as far as anybody has told one.' })),
    traceUrl: Type.Optional(Type.String({ description: 'Where that is looked at (`traces.url` of the policy file).' })),
    payload: Type.Optional(BodyRef),
    erased: Type.Optional(ErasureView),
    invalidates: Type.Optional(Invalidates),
    maxRetries: Type.Optional(count('Retries in force.')),
    attempts: Type.Array(AttemptView, { description: 'By attempt.' }),
    decisions: Type.Array(DecisionView, { description: 'By n.' }),
    anomalies: Type.Array(AnomalyView),
  },
  { description: 'A job with its attempts, decisions and anomalies.' },
);

export const TimelineEvent = Type.Object(
  {
    position: Position,
    at: instant('When it was read, by the lane’s clock.'),
    lane: Type.Optional(Type.String({ description: 'The lane that it came by.' })),
    specversion: Type.Literal('1.0'),
    id: Type.String(),
    source: Type.String(),
    subject: Type.String({ description: 'The job id.' }),
    type: Type.String({ description: '`jobwarden.job.<fact or decision>.v1`' }),
    time: Type.Optional(instant('The emitter’s clock.')),
    traceparent: Type.Optional(Type.String()),
    tracestate: Type.Optional(Type.String()),
    namespace,
    data: Type.Record(Type.String(), Type.Unknown(), {
      description: 'As sent, after redaction; payload, snapshot and stack stand as `{hash, bytes}`. Of a decision: n, attempt, reason, by, evidence.',
    }),
  },
  { description: 'One entry of the job’s stream.' },
);

export const JobList = listOf(JobSummary, 'Jobs.');
export const Timeline = listOf(TimelineEvent, 'The job’s stream, in the order of the log.');

export type JobsQuery = Static<typeof JobsQuery>;
export type JobSummary = Static<typeof JobSummary>;
export type AttemptView = Static<typeof AttemptView>;
export type DecisionView = Static<typeof DecisionView>;
export type AnomalyView = Static<typeof AnomalyView>;
export type ErasureView = Static<typeof ErasureView>;
export type JobDetail = Static<typeof JobDetail>;
export type TimelineEvent = Static<typeof TimelineEvent>;
export type JobList = Static<typeof JobList>;
export type Timeline = Static<typeof Timeline>;
