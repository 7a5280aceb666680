import { Type, type Static } from 'typebox';
import { ACTIONS, LEVELS, type Action as ActionName, type Level as LevelName } from '#libs/domain';
import { count, duration, instant, namespace, nullable, oneOf, queue, whyKept } from '../schemas/field.js';
import { listOf } from './problem.js';

/** `GET /v1/queues`, `/{queue}`, and what an operator sets on a queue. */

const Level = oneOf(LEVELS, { description: 'observe: only shows. approve: asks. act: does.' });
const Action = oneOf(ACTIONS, { description: 'What Jobwarden may do.' });

const Levels = Type.Unsafe<Record<ActionName, LevelName>>(
  Type.Object(Object.fromEntries(ACTIONS.map((action) => [action, Level])), { description: 'Level of each action.' }),
);

const Quantiles = Type.Object(
  {
    samples: count('Run times behind it.'),
    p50Ms: nullable(duration('Half are shorter.')),
    p95Ms: nullable(duration('95 % are shorter.')),
    p99Ms: nullable(duration('99 % are shorter.')),
  },
  { description: 'Run times of succeeded attempts without an anomaly; null without samples.' },
);

export const QueueView = Type.Object(
  {
    namespace,
    queue,
    depth: count('Jobs that wait for a worker: queued, requeued, retrying.'),
    running: count('Jobs in processing.'),
    stuck: count('Jobs taken for lost or hung and not back yet.'),
    failureRatio: nullable(Type.Number({ minimum: 0, maximum: 1 }), {
      description: 'Failed and lost attempts over all that ended; null without any.',
    }),
    quantiles: Quantiles,
    oldestAgeMs: nullable(duration('Age of the oldest waiting job.')),
    byStatus: Type.Optional(Type.Record(Type.String(), Type.Integer(), { description: 'Jobs by status.' })),
    native: Type.Optional(
      Type.Object(
        {
          waiting: Type.Optional(count('Waiting.')),
          oldestAgeMs: Type.Optional(duration('Age of the oldest.')),
          paused: Type.Optional(Type.Boolean()),
          at: instant('When it said so.'),
        },
        { description: 'What the native queue says of itself.' },
      ),
    ),
    paused: Type.Boolean({ description: 'Paused through Jobwarden: requeues are held.' }),
    levels: Levels,
  },
  { description: 'A queue, from maintained counters.' },
);

export const LevelsCall = Type.Object(
  { action: Action, level: Level, reason: whyKept('Why; kept.') },
  { description: 'Sets the level of one action; wins until the file’s value changes.' },
);
export const QueueCall = Type.Object({ reason: whyKept('Why; kept.') });

export const QueueList = listOf(QueueView, 'Queues.');
export type QueueView = Static<typeof QueueView>;
export type LevelsCall = Static<typeof LevelsCall>;
export type QueueCall = Static<typeof QueueCall>;
export type QueueList = Static<typeof QueueList>;
