import { Type, type Static } from 'typebox';
import { eventOf } from './envelope.js';
import { attempt, count, duration, Invalidates, MAX_ATTEMPT, name, queue, text, token, Worker } from './field.js';

/** Facts about a job: `data` of `jobwarden.job.<fact>.v1`. Unknown extra fields are kept. */

const ofAttempt = { queue, attempt: Type.Optional(attempt), token: Type.Optional(token) };
const byWorker = { ...ofAttempt, worker: Type.Optional(Worker) };
const leaseMs = Type.Optional(
  duration('How long the worker may stay silent before it counts as lost; the policy’s lease where left out.', 1),
);
// An emitter whose clock was set back measures less than nothing: kept, and left out of the latency history.
const durationMs = Type.Optional(
  Type.Number({ description: 'Run time as the emitter measured it. Milliseconds, at most 400 days either way.' }),
);

export const QueuedData = Type.Object(
  {
    queue,
    kind: Type.Optional(name('What sort of job it is: has its own limits and latency history.')),
    payload: Type.Optional(
      Type.Unknown({ description: 'What to run with, any JSON. Kept beside the log, erasable; not with `payloadRef`.' }),
    ),
    payloadRef: Type.Optional(text('Where the payload lies, for the worker to fetch. At most 8,192 bytes of UTF-8.')),
    maxRetries: Type.Optional(
      Type.Integer({ minimum: 0, maximum: 100, description: 'Retries after the first attempt; beats the policy.' }),
    ),
    notBefore: Type.Optional(
      Type.String({ format: 'date-time', description: 'Must not start before this instant, RFC 3339.' }),
    ),
    timeoutMs: Type.Optional(duration('The job’s own hard timeout; beats the policy’s `hardTimeout`.', 1)),
    invalidates: Type.Optional(Invalidates),
  },
  { not: Type.Object({ payload: Type.Unknown(), payloadRef: Type.Unknown() }) },
);

export const StartedData = Type.Object({ ...ofAttempt, worker: Worker, leaseMs });

export const HeartbeatData = Type.Object({
  ...byWorker,
  leaseMs,
  progress: Type.Optional(Type.Unknown({ description: 'How far it got, any JSON; handed to the next attempt.' })),
});

export const ReleasedData = Type.Object({
  ...byWorker,
  reason: Type.Optional(text('Why the worker lets go. At most 8,192 bytes of UTF-8.')),
});

export const LeaseRenewalFailedData = Type.Object({
  ...ofAttempt,
  worker: Type.Optional(Worker),
  reason: text('Why the lease could not be renewed. At most 8,192 bytes of UTF-8.'),
});

export const SucceededData = Type.Object({ ...byWorker, durationMs, invalidates: Type.Optional(Invalidates) });

export const JobError = Type.Object(
  {
    class: name('Class or kind of the error, for grouping.'),
    message: text('What it says. Beyond 8,192 bytes it is cut in the log and kept whole as a body.'),
    stack: Type.Optional(text('Where it was thrown. Kept beside the log.')),
    code: Type.Optional(name('Code of the error, such as `ECONNRESET`.')),
    responseStatus: Type.Optional(count('HTTP status that caused it.')),
  },
  { description: 'What went wrong.' },
);

export const FailedData = Type.Object({
  ...byWorker,
  durationMs,
  error: JobError,
  retryable: Type.Optional(Type.Boolean({ default: true, description: 'false = failed for good. Default true.' })),
  retryAfterMs: Type.Optional(duration('Not to be tried again sooner.')),
  payloadSnapshot: Type.Optional(
    Type.Unknown({ description: 'The payload as the handler saw it, any JSON. Kept beside the log.' }),
  ),
});

export const CancelledData = Type.Object({
  queue,
  reason: Type.Optional(text('Why. At most 8,192 bytes of UTF-8.')),
  by: Type.Optional(name('Who asks.')),
  attempt: Type.Optional(
    Type.Integer({ minimum: 1, maximum: MAX_ATTEMPT, description: 'With it, void once a newer attempt is granted.' }),
  ),
});

/** Every fact's whole event, by kind. */
export const FACT_EVENTS = {
  queued: eventOf('jobwarden.job.queued.v1', QueuedData, 'A job was put into its queue.'),
  claimed: eventOf('jobwarden.job.claimed.v1', StartedData, 'A worker took the job.'),
  started: eventOf('jobwarden.job.started.v1', StartedData, 'A worker began to run the job.'),
  heartbeat: eventOf('jobwarden.job.heartbeat.v1', HeartbeatData, 'The attempt is alive.'),
  released: eventOf('jobwarden.job.released.v1', ReleasedData, 'The worker lets go of the attempt without an end.'),
  'lease-renewal-failed': eventOf(
    'jobwarden.job.lease-renewal-failed.v1',
    LeaseRenewalFailedData,
    'The worker could not renew its lease: evidence of life that extends nothing.',
  ),
  succeeded: eventOf('jobwarden.job.succeeded.v1', SucceededData, 'The attempt ended well.'),
  failed: eventOf('jobwarden.job.failed.v1', FailedData, 'The attempt ended badly.'),
  cancelled: eventOf('jobwarden.job.cancelled.v1', CancelledData, 'A request to cancel; becomes a decision.'),
} as const;

export type QueuedData = Static<typeof QueuedData>;
export type StartedData = Static<typeof StartedData>;
export type HeartbeatData = Static<typeof HeartbeatData>;
export type ReleasedData = Static<typeof ReleasedData>;
export type LeaseRenewalFailedData = Static<typeof LeaseRenewalFailedData>;
export type SucceededData = Static<typeof SucceededData>;
export type FailedData = Static<typeof FailedData>;
export type CancelledData = Static<typeof CancelledData>;
