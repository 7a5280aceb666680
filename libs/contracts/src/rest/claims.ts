import { Type, type Static } from 'typebox';
import { DEFAULT_LIMITS } from '../limits.js';
import { EnqueueCommandData } from '../schemas/outgoing.js';
import { duration, grantedAttempt, name, Position, token, Worker } from '../schemas/field.js';

/** `POST …/jobs/{id}/claims` */

export const ClaimCall = Type.Object(
  {
    claimId: name('Chosen by the worker, new for each claim; the same again gets the same answer.'),
    worker: Worker,
    leaseMs: Type.Optional(
      Type.Number({
        minimum: 1,
        maximum: DEFAULT_LIMITS.durationMs,
        description: 'How long the worker may stay silent; the policy’s lease where left out. Milliseconds, at most 400 days.',
      }),
    ),
    token: Type.Optional({ ...token, description: 'Of the command that the worker took: then only that grant is redeemed, and none is made.' }),
    traceparent: Type.Optional(Type.String({ description: 'W3C trace context of the span that the attempt is to be.' })),
    tracestate: Type.Optional(Type.String({ description: 'Goes with `traceparent`.' })),
  },
  { description: 'A worker asks for a job.' },
);

export const ClaimAnswer = Type.Object(
  {
    attempt: grantedAttempt,
    token: { ...token, description: 'Fencing token: send it with every event of this attempt, and hand it to whatever the job writes to.' },
    leaseMs: duration('Beat sooner than this, best after a third of it.', 1),
    invalidation: Type.Optional(Position),
    command: Type.Optional(EnqueueCommandData),
  },
  {
    description:
      'The job is this worker’s. `command`: what to run with. `invalidation`: where the log says which cached values are no longer true since the grant.',
  },
);

export type ClaimCall = Static<typeof ClaimCall>;
export type ClaimAnswer = Static<typeof ClaimAnswer>;
