import { Type, type Static } from 'typebox';
import { ACTIONS, GATES, LEVELS, type Action, type Level } from '#libs/domain';
import { count, duration, instant, namespace, nullable, oneOf, queue } from '../schemas/field.js';
import { GateToldView } from './canary-gate.js';
import { ListedIncident } from './incidents.js';
import { ActionsView } from './operator.js';
import { LaneView } from './workers.js';

/** `GET /v1/overview` */

const Levels = Type.Unsafe<Record<Action, Level>>(
  Type.Object(Object.fromEntries(ACTIONS.map((action) => [action, oneOf(LEVELS, { description: 'Level of the action.' })]))),
);

export const OverviewQueue = Type.Object(
  {
    namespace,
    queue,
    waiting: nullable(count('Jobs that wait for a worker, as the native queue says while it does; null = unknown.')),
    running: count('Jobs in processing.'),
    stuck: count('Jobs taken for lost or hung and not back yet.'),
    held: count('Verdicts that are due and not given.'),
    deadLettered: count('Jobs that stand among the dead letters.'),
    oldestAgeMs: nullable(duration('Age of the oldest waiting job.')),
    recent: Type.Object(
      {
        succeeded: count('Attempts.'),
        failed: count('Attempts that failed or were lost.'),
        medianMs: nullable(duration('Median run time of the last minute in which something succeeded.')),
      },
      { description: 'Of the last 15 minutes.' },
    ),
    usualMedianMs: nullable(duration('Median of all remembered run times; null = too few.')),
    waitingHistory: Type.Array(Type.Integer(), { description: 'Waiting jobs at each instant of `samples`.' }),
    failureHistory: Type.Array(nullable(Type.Number({ minimum: 0, maximum: 1 })), {
      description: 'At each instant of `samples`, the share of the attempts that ended since the one before and failed or were lost; null = none ended. Empty: none in the hour.',
    }),
    medianHistory: Type.Array(nullable(Type.Integer()), {
      description: 'At each instant of `samples`, the median run time of what succeeded since the one before, ms; null = nothing did. Empty: nothing in the hour.',
    }),
    levels: Levels,
    gate: oneOf(GATES, { description: 'What is let through: everything, nothing, or so many claims a second.' }),
    recovery: Type.Optional(oneOf(['blackout', 'probing'], { description: 'What holds its recovery; left out: nothing does.' })),
    refusedRevisions: Type.Optional(Type.Array(Type.String(), { description: 'Releases that are out of service here.' })),
  },
  { description: 'How a queue stands.' },
);

export const Overview = Type.Object(
  {
    at: instant('Lane time.'),
    samples: Type.Array(instant('When it was taken.'), { description: 'Samples of the last hour, oldest first; there is one a minute.' }),
    queues: Type.Array(OverviewQueue, { description: 'By namespace and name.' }),
    more: Type.Boolean({ description: 'There are more queues than are told of here.' }),
    incidents: Type.Array(ListedIncident, { description: 'Open ones, newest first; 20 at most.' }),
    openIncidents: count('All that are open, 1,000 at most.'),
    gates: Type.Array(GateToldView, { description: 'Canary gates of rollouts that go on, as the replica that answers was told within the last hour: those that let nothing through first; 20 at most.' }),
    lanes: Type.Array(LaneView, { description: 'Ways that events come in.' }),
    actions: ActionsView,
  },
  { description: 'Everything at a glance.' },
);
export type OverviewQueue = Static<typeof OverviewQueue>;
export type Overview = Static<typeof Overview>;
