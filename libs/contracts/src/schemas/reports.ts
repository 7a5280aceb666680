import { Type, type Static } from 'typebox';
import { eventOf } from './envelope.js';
import { attempt, count, duration, jobId, name, queue, token, Worker } from './field.js';
import { QUEUE_STATE_TYPE, WORKER_HEARTBEAT_TYPE } from '../vocabulary.js';

/** Reports that are not about one job: a worker's heartbeat and what the native queue says of itself. */

const HeldJob = Type.Object(
  {
    queue,
    id: jobId,
    attempt: Type.Optional(attempt),
    token: Type.Optional(token),
    leaseMs: Type.Optional(duration('How long the worker may stay silent; the policy’s lease where left out.', 1)),
    progress: Type.Optional(Type.Unknown({ description: 'How far it got, any JSON.' })),
  },
  { description: 'An attempt that the worker is running.' },
);

const bytes = (description: string) => Type.Optional(Type.Number({ minimum: 0, description: `${description} Bytes.` }));

export const Runtime = Type.Object(
  {
    heapUsed: bytes('Heap in use.'),
    heapLimit: bytes('Heap limit.'),
    rss: bytes('Resident memory.'),
    loopLagMs: Type.Optional(duration('Lag of the event loop.')),
    poolInUse: Type.Optional(count('Connections in use.')),
    poolWaiting: Type.Optional(count('Callers waiting for a connection.')),
    lockWaits: Type.Optional(
      Type.Array(
        Type.Object({
          resource: name('What is waited for.'),
          holder: Type.Optional(name('Who holds it.')),
          waitedMs: duration('For how long.'),
        }),
        { description: 'Locks that are being waited for.' },
      ),
    ),
  },
  { description: 'State of the worker process.' },
);

export const WorkerHeartbeatData = Type.Object({
  worker: Worker,
  jobs: Type.Array(HeldJob, { description: 'Everything that the worker runs; may be empty.' }),
  runtime: Type.Optional(Runtime),
});

export const QueueStateData = Type.Object({
  waiting: Type.Optional(count('Jobs waiting in the native queue.')),
  oldestAgeMs: Type.Optional(duration('Age of the oldest waiting job.')),
  paused: Type.Optional(Type.Boolean({ description: 'Is the native queue paused?' })),
});

export const WorkerHeartbeatEvent = eventOf(
  WORKER_HEARTBEAT_TYPE,
  WorkerHeartbeatData,
  'One worker and all attempts that it runs are alive. `subject` is the worker id.',
);
export const QueueStateEvent = eventOf(
  QUEUE_STATE_TYPE,
  QueueStateData,
  'What the native queue says of itself. `subject` is the queue.',
);

export type Runtime = Static<typeof Runtime>;
export type WorkerHeartbeatData = Static<typeof WorkerHeartbeatData>;
export type QueueStateData = Static<typeof QueueStateData>;
