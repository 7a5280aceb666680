import { Type, type Static } from 'typebox';
import {
  DEAD_LETTER_TYPE,
  ENQUEUE_COMMAND_TYPE,
  INVALIDATION_CAUSE,
  INVALIDATION_TYPE,
  STOP_COMMAND_TYPE,
} from '../vocabulary.js';
import { eventOf } from './envelope.js';
import {
  BodyRef,
  count,
  grantedAttempt,
  instant,
  jobId,
  name,
  nullable,
  oneOf,
  Position,
  queue,
  text,
  token,
  valuesOf,
  Worker,
} from './field.js';

/** What goes out: commands and invalidations by stream, topic or webhook. `subject` is the job id, `source` `jobwarden`. */

const command = {
  queue,
  deliverTo: Type.Optional(name('The queue whose workers are meant, where it is not the job’s own (`fallbackQueue`): they claim and report it under `queue`.')),
  n: Type.Integer({ minimum: 0, description: 'The decision behind it; (job, n) is its id. 0 = none, the first grant.' }),
  attempt: grantedAttempt,
  token,
  reason: text('A stable word: why.'),
};

export const CommandTrace = Type.Object(
  {
    traceparent: Type.Optional(text('Of whoever queued the job.')),
    tracestate: Type.Optional(text('Goes with `traceparent`.')),
    previous: Type.Optional(text('`traceparent` of the attempt before, as far as it told its own: link to it.')),
  },
  { description: 'W3C trace contexts that the attempt belongs to.' },
);

export const EnqueueCommandData = Type.Object({
  ...command,
  kind: Type.Optional(name('What sort of job it is.')),
  previousWorker: Type.Optional(Worker),
  progress: Type.Optional(Type.Unknown({ description: 'The last that the previous attempt reported, any JSON.' })),
  payload: Type.Optional(Type.Unknown({ description: 'What to run with, any JSON.' })),
  payloadRef: Type.Optional(text('Where the payload lies.')),
  invalidation: Type.Optional(Position),
  trace: Type.Optional(CommandTrace),
  deadline: Type.Optional(instant('When the attempt will be taken for hung.')),
});

export const StopCommandData = Type.Object({
  ...command,
  worker: Type.Optional(Worker),
  previousWorker: Type.Optional(Worker),
  deadline: Type.Optional(instant('When the worker is given up.')),
});

export const InvalidationData = Type.Object({
  keys: Type.Array(Type.String(), { description: 'Cache keys.' }),
  tags: Type.Array(Type.String(), { description: 'Cache tags.' }),
  cause: oneOf(valuesOf(INVALIDATION_CAUSE), { description: 'Why it goes out.' }),
  queue,
  jobId,
  attempt: grantedAttempt,
  position: Position,
});

/** What an attempt in a chain failed of. */
export const ChainError = Type.Object({
  class: Type.String(),
  message: Type.String(),
  code: Type.Optional(Type.String()),
  responseStatus: Type.Optional(Type.Integer()),
  stack: Type.Optional(BodyRef),
});

/** One attempt in a dead letter's chain. */
export const ChainLink = Type.Object({
  attempt: grantedAttempt,
  token: Type.Optional(token),
  ended: text('How it ended: `failed`, `lost`, `hung` …'),
  at: instant('When.'),
  worker: Type.Optional(Worker),
  workers: Type.Optional(Type.Array(Worker, { description: 'Where several started it: all of them.' })),
  error: Type.Optional(ChainError),
  durationMs: Type.Optional(Type.Number({ description: 'Run time as the emitter measured it.' })),
  retryAfterMs: Type.Optional(count('Not to be tried again sooner, as the failure asked. Milliseconds.')),
  snapshot: Type.Optional(BodyRef),
});

export const FirstCause = Type.Object(
  { attempt: grantedAttempt, at: instant('When that attempt ended.'), error: ChainError },
  { description: 'The first failure of all, also from before a redrive; left out where no attempt said why it ended.' },
);

export const Hop = Type.Object(
  {
    n: Type.Integer({ minimum: 1, description: 'Number of the decision.' }),
    at: instant('When.'),
    by: Type.String({ description: 'Who asked.' }),
    reason: Type.String({ description: 'Why.' }),
  },
  { description: 'A redrive.' },
);

export const Patch = Type.Object(
  {
    n: Type.Integer({ minimum: 1, description: 'Number of the decision.' }),
    at: instant('When.'),
    by: Type.String({ description: 'Who changed it.' }),
    reason: Type.String({ description: 'Why.' }),
    before: Type.Optional(BodyRef),
    after: BodyRef,
  },
  { description: 'A change of the payload by hand.' },
);

export const Cut = Type.Object(
  {
    type: Type.String({ description: 'Of the event.' }),
    id: Type.String({ description: 'Of the event.' }),
    at: instant('When it was read.'),
    attempt: Type.Optional(grantedAttempt),
    redacted: Type.Array(Type.String(), { description: 'Where redaction cut something out, at most 20 places.' }),
    message: Type.Optional(BodyRef),
  },
  { description: 'What was cut out of an event: by redaction, for good; a message beyond the limit is kept whole as a body (`message`).' },
);

export const DeadLetteredData = Type.Object({
  queue,
  n: Type.Integer({ minimum: 1, description: 'Number of the decision within its job.' }),
  attempt: Type.Integer({ minimum: 0, description: 'The attempt that ended.' }),
  token: Type.Optional(token),
  reason: text('A stable word: `failed_for_good`, `retries_exhausted`, `poison_pill` …'),
  by: name('`jobwarden`, or who asked for it.'),
  kind: Type.Optional(nullable(Type.String(), { description: 'What sort of job it is.' })),
  chain: Type.Optional(Type.Array(ChainLink, { description: 'Every attempt, oldest first.' })),
  cut: Type.Optional(Type.Array(Cut, { description: 'What redaction and limits cut, of its first 20 events that it was cut out of.' })),
  patches: Type.Optional(Type.Array(Patch, { description: 'Each change of the payload by hand, oldest first.' })),
  payload: Type.Optional(Type.Unknown({ description: 'What it ran with, any JSON, where it may be shown.' })),
  payloadRef: Type.Optional(text('Where the payload lies.')),
  redrives: Type.Optional(count('How often it had been redriven.')),
  firstCause: Type.Optional(FirstCause),
  hops: Type.Optional(Type.Array(Hop, { description: 'Each redrive before, oldest first.' })),
  evidence: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
});

export const EnqueueCommand = eventOf(ENQUEUE_COMMAND_TYPE, EnqueueCommandData, 'Put this attempt into its queue.');
export const StopCommand = eventOf(
  STOP_COMMAND_TYPE,
  StopCommandData,
  'Stop this attempt; a worker of another attempt ignores it.',
);
export const InvalidationEvent = eventOf(INVALIDATION_TYPE, InvalidationData, 'These cache entries are no longer true.');
export const DeadLetteredEvent = eventOf(DEAD_LETTER_TYPE, DeadLetteredData, 'A job failed for good.');

export type CommandTrace = Static<typeof CommandTrace>;
export type EnqueueCommandData = Static<typeof EnqueueCommandData>;
export type StopCommandData = Static<typeof StopCommandData>;
export type InvalidationData = Static<typeof InvalidationData>;
export type DeadLetteredData = Static<typeof DeadLetteredData>;
export type Cut = Static<typeof Cut>;
export type ChainLink = Static<typeof ChainLink>;
export type FirstCause = Static<typeof FirstCause>;
export type Hop = Static<typeof Hop>;
export type Patch = Static<typeof Patch>;
export type EnqueueCommand = Static<typeof EnqueueCommand>;
export type StopCommand = Static<typeof StopCommand>;
export type InvalidationEvent = Static<typeof InvalidationEvent>;
export type DeadLetteredEvent = Static<typeof DeadLetteredEvent>;
