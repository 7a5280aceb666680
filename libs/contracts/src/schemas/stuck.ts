import { Type, type Static } from 'typebox';
import { ACTIONS, LEVELS, VERDICTS } from '#libs/domain';
import { STUCK_TYPE, THRESHOLD_SOURCES } from '../vocabulary.js';
import { eventOf } from './envelope.js';
import { count, grantedAttempt, instant, jobId, nullable, oneOf, queue } from './field.js';

/** What goes to webhooks of the channel `stuck`: the jobs of one queue that fell due in a window. */
export const StuckJob = Type.Object({
  id: jobId,
  attempt: grantedAttempt,
  verdict: oneOf(VERDICTS, { description: 'lost: silent. hung: alive and too long. starved: not begun.' }),
  worker: Type.Optional(Type.String({ description: 'Who holds or held it.' })),
  since: Type.Optional(instant('When its threshold was passed.')),
  threshold: nullable(Type.Object({ source: oneOf(THRESHOLD_SOURCES), ms: Type.Number() }), { description: 'What was passed.' }),
  level: oneOf(LEVELS, { description: 'Of the action, as it held then.' }),
  action: nullable(oneOf(ACTIONS), { description: 'null: only reported.' }),
  outcome: oneOf(['decided', 'would-have', 'reported', 'held', 'refused'], { description: 'What was done, or not.' }),
  decisions: Type.Array(Type.String(), { description: 'What was, or would have been, decided.' }),
  heldBy: Type.Optional(Type.String({ description: 'What holds the verdict back.' })),
});

export const StuckData = Type.Object({
  queue,
  windowStart: instant('When the window began.'),
  windowEnd: instant('When it ended.'),
  count: count('Jobs of the window.'),
  verdicts: Type.Record(Type.String(), Type.Integer(), { description: 'Jobs by verdict.' }),
  outcomes: Type.Record(Type.String(), Type.Integer(), { description: 'Jobs by outcome.' }),
  jobs: Type.Array(StuckJob, { description: 'The first 50.' }),
  more: count('Jobs that are not listed.'),
  link: Type.String({ description: 'Path of the service’s own report on it.' }),
});

export const StuckEvent = eventOf(STUCK_TYPE, StuckData, 'Jobs of a queue are stuck; `subject` is the queue.');
export type StuckJob = Static<typeof StuckJob>;
export type StuckData = Static<typeof StuckData>;
export type StuckEvent = Static<typeof StuckEvent>;
