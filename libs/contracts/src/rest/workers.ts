import { Type, type Static } from 'typebox';
import { count, duration, grantedAttempt, instant, jobId, namespace, nullable, queue, token, whyKept } from '../schemas/field.js';
import { Runtime } from '../schemas/reports.js';
import { listOf } from './problem.js';

/** `GET /v1/workers` and `GET /v1/lanes`. */

export const WorkerView = Type.Object(
  {
    namespace,
    id: Type.String({ description: 'As the worker names itself.' }),
    incarnation: Type.Optional(Type.String()),
    revision: Type.Optional(Type.String()),
    track: Type.Optional(Type.String()),
    lastBeatAt: nullable(instant('Last evidence of life, by the lane’s clock.')),
    holds: Type.Array(
      Type.Object({
        queue,
        id: jobId,
        attempt: grantedAttempt,
        token: Type.Optional(token),
        leaseEndsAt: nullable(instant('End of the lease.')),
        known: Type.Boolean({ description: 'false: no such job, or the attempt was never granted. No verdict follows.' }),
      }),
      { description: 'Attempts that it says it runs.' },
    ),
    runtime: Type.Optional(Runtime),
  },
  { description: 'A worker and what it holds.' },
);

export const LaneView = Type.Object(
  {
    lane: Type.String({ description: '`http`, `inside`, or `kafka/<topic>/<partition>`.' }),
    transport: Type.Union([Type.Literal('http'), Type.Literal('kafka'), Type.Literal('inside')], {
      description: 'How events come in by it; `inside`: they are Jobwarden’s own.',
    }),
    watermark: nullable(instant('Everything before has been read.')),
    lagMs: nullable(duration('How far the watermark lies behind the lane’s clock.')),
    gapEndedAt: nullable(instant('End of the last gap: leases ran again in full from then.')),
    inFlight: Type.Optional(count('HTTP: requests being read.')),
    next: Type.Optional(count('Kafka: offset that comes next.')),
    end: Type.Optional(count('Kafka: offset that the next record will get, as last seen.')),
    behind: Type.Optional(count('Kafka: records between the two.')),
    stopped: Type.Optional(Type.String({ description: 'Kafka: why nothing of it is read until an operator says where to go on.' })),
    retired: Type.Optional(Type.Boolean({ description: 'Kafka: given up by an operator; verdicts do not wait for it.' })),
  },
  { description: 'A way that events come in, and how far it has been read.' },
);

const lane = Type.String({ minLength: 1, maxLength: 512, description: 'Name of the lane: `kafka/<topic>/<partition>`.' });

/** `POST /v1/lanes/seek` */
export const LaneSeekCall = Type.Object(
  {
    lane,
    to: Type.Union([Type.Literal('earliest'), Type.Literal('latest'), Type.Integer({ minimum: 0 })], {
      description: 'Where to go on: the first record that the broker still has, behind the last one, or an offset.',
    }),
    reason: whyKept('Why; kept in the log of the service.'),
  },
  { description: 'Says where reading goes on.' },
);

/** `POST /v1/lanes/{retire,unretire}` */
export const LaneRetireCall = Type.Object(
  {
    lane,
    reason: whyKept('Why; kept in the log of the service.'),
    force: Type.Optional(
      Type.Boolean({ default: false, description: 'Retire it also while it is read. Default false.' }),
    ),
  },
  { description: 'Gives a lane up, or takes that back.' },
);

export const WorkerList = listOf(WorkerView, 'Workers.');
export const LaneList = listOf(LaneView, 'Lanes.');
export type LaneSeekCall = Static<typeof LaneSeekCall>;
export type LaneRetireCall = Static<typeof LaneRetireCall>;
export type WorkerView = Static<typeof WorkerView>;
export type LaneView = Static<typeof LaneView>;
export type WorkerList = Static<typeof WorkerList>;
export type LaneList = Static<typeof LaneList>;
