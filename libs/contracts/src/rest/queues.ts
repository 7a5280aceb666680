import { Type, type Static } from 'typebox';
import { ACTIONS, GATES, LEVELS, type Action as ActionName, type Level as LevelName } from '#libs/domain';
import { count, duration, instant, namespace, nullable, oneOf, queue, whyKept } from '../schemas/field.js';
import { THRESHOLD_SOURCES } from '../vocabulary.js';
import { listOf } from './problem.js';

/** `GET /v1/queues`, `/{queue}`, and what an operator sets on a queue. */

/** What can hold the recovery of a whole queue. */
const RECOVERY_HOLDS = ['blackout', 'probing'] as const;

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

export const StuckAfterView = Type.Object(
  {
    source: oneOf(THRESHOLD_SOURCES, { description: 'Where it comes from.' }),
    ms: duration('How long a run without a lease may take.'),
    learned: Type.Optional(
      Type.Object(
        {
          from: oneOf(['kind', 'queue'], { description: 'Whose runs it was learned from.' }),
          samples: count('Runs that ended, behind it.'),
          longer: count('Runs behind it that were given up, and count as longer than they were watched.'),
          quantile: Type.Number({ description: 'Share of the runs that were shorter than quantileMs.' }),
          quantileMs: duration('The quantile of the runs, at most 19 % too long.'),
          factor: Type.Number({ description: 'Times the quantile: the threshold, between floor and ceiling.' }),
        },
        { description: 'What it rests on, where history taught it.' },
      ),
    ),
  },
  { description: 'After how long a run without a lease is taken for lost.' },
);

export const GateView = Type.Object(
  {
    gate: oneOf(GATES, { description: 'What is let through: everything, nothing, or so many claims a second.' }),
    perSecond: Type.Optional(Type.Number({ description: 'Claims a second, while throttled.' })),
    reason: Type.String(),
    by: Type.String(),
    at: instant('Since when.'),
  },
  { description: 'What an operator lets through of a queue; left out: nobody has ever changed it.' },
);

export const RecoveryView = Type.Object(
  {
    heldBy: oneOf(RECOVERY_HOLDS, {
      description: 'blackout: too many workers fell silent at once. probing: what is requeued fails again, so only a few go out.',
    }),
    since: instant('Since when.'),
    lostWorkers: Type.Optional(count('Workers that fell silent, when it began.')),
    workers: Type.Optional(count('All workers that held leases of the queue then.')),
    lostJobs: Type.Optional(count('Jobs that the silent ones held.')),
  },
  { description: 'What holds the queue’s recovery; left out: nothing does.' },
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
    stuckAfter: nullable(StuckAfterView),
    kinds: Type.Optional(
      Type.Record(Type.String(), nullable(StuckAfterView), {
        description: 'Of one queue: the same of each kind of job that has a history of its own, or a policy.',
      }),
    ),
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
    paused: Type.Boolean({ description: 'Paused through Jobwarden: no claim is granted, and requeues are held.' }),
    gate: Type.Optional(GateView),
    refusedRevisions: Type.Optional(
      Type.Array(Type.String(), { description: 'Releases of workers that are out of service here: they begin nothing of it. Left out: none.' }),
    ),
    recovery: Type.Optional(RecoveryView),
    levels: Levels,
    fallbacks: Type.Optional(
      Type.Array(Type.Object({ action: Action, reason: Type.String(), at: instant('When.') }), {
        description: 'Actions that Jobwarden took back to observe itself, because one of their acts was wrong.',
      }),
    ),
  },
  { description: 'A queue, from maintained counters.' },
);

export const LevelsCall = Type.Object(
  { action: Action, level: Level, reason: whyKept('Why; kept.') },
  { description: 'Sets the level of one action; wins until the file’s value changes.' },
);
export const QueueCall = Type.Object({ reason: whyKept('Why; kept.') }, { description: 'Pauses or resumes a queue.' });

export const ThrottleCall = Type.Object(
  {
    perSecond: Type.Number({
      minimum: 0.001,
      maximum: 1_000_000,
      description: 'Claims that are let through a second, of all workers together.',
    }),
    reason: whyKept('Why; kept.'),
  },
  { description: 'Throttles a queue.' },
);

export const BlackoutReleased = Type.Object(
  { namespace, queue, reason: Type.String(), by: Type.String() },
  { description: 'The recovery of a queue goes on.' },
);

export const QueueList = listOf(QueueView, 'Queues.');
export type QueueView = Static<typeof QueueView>;
export type StuckAfterView = Static<typeof StuckAfterView>;
export type RecoveryView = Static<typeof RecoveryView>;
export type BlackoutReleased = Static<typeof BlackoutReleased>;
export type LevelsCall = Static<typeof LevelsCall>;
export type ThrottleCall = Static<typeof ThrottleCall>;
export type GateView = Static<typeof GateView>;
export type QueueCall = Static<typeof QueueCall>;
export type QueueList = Static<typeof QueueList>;
