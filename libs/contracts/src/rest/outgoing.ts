import { Type, type Static } from 'typebox';
import {
  count,
  grantedAttempt,
  instant,
  jobId,
  namespace,
  nullable,
  oneOf,
  Position,
  queue,
  valuesOf,
} from '../schemas/field.js';
import { INVALIDATION_CAUSE } from '../vocabulary.js';
import { listOf } from './problem.js';

/** `GET /v1/invalidations`, `GET /v1/parked`, `GET /v1/policies`. */

export const InvalidationView = Type.Object(
  {
    position: Position,
    at: instant('When it was asked for or decided.'),
    sentAt: nullable(instant('When it was acknowledged; null = not yet, or held by its level.')),
    namespace,
    queue,
    jobId,
    attempt: grantedAttempt,
    cause: oneOf(valuesOf(INVALIDATION_CAUSE), { description: 'Why it goes out.' }),
    keys: Type.Array(Type.String()),
    tags: Type.Array(Type.String()),
  },
  { description: 'Cache entries that are no longer true.' },
);

export const ParkedView = Type.Object(
  {
    parkedId: Type.String(),
    at: instant('When it was parked.'),
    namespace: nullable(namespace, { description: 'null = of the whole installation.' }),
    queue: nullable(queue, { description: 'null = of no queue.' }),
    id: Type.String({ description: 'Of the job, or of the incident.' }),
    type: Type.String({ description: 'Type of what could not be delivered.' }),
    target: Type.String({ description: 'Where it should go.' }),
    tries: count('How often it was tried.'),
    lastError: Type.String({ description: 'What the last try met.' }),
    behind: count('What waits behind it, of the same job.'),
  },
  { description: 'What could not be delivered.' },
);

export const PolicyValue = Type.Object(
  {
    value: Type.Unknown({ description: 'In force; durations in ms.' }),
    origin: Type.Object(
      {
        layer: oneOf(['default', 'defaults', 'namespace', 'queue', 'kind', 'operator'] as const, {
          description: 'Built in, or the part of the file, or set by an operator.',
        }),
        at: Type.String({ description: 'Its place, such as `queues.emails`; empty when built in.' }),
        line: Type.Optional(Type.Integer({ minimum: 1, description: 'Line of the file.' })),
      },
      { description: 'Where it was written.' },
    ),
  },
  { description: 'A setting and where it came from.' },
);

export const PolicyView = Type.Object(
  {
    namespace: nullable(Type.String(), { description: 'null = of every namespace without one of its own.' }),
    queue: nullable(Type.String(), { description: 'null = of every queue that is not named.' }),
    kind: nullable(Type.String(), { description: 'null = of every kind that is not named.' }),
    values: Type.Record(Type.String(), PolicyValue, { description: 'By setting, as in the file: `lease`, `backoff.max`.' }),
  },
  { description: 'The policy of one place, resolved.' },
);

export const InvalidationList = listOf(InvalidationView, 'Invalidations, newest first.');
export const ParkedList = listOf(ParkedView, 'Parked.');
export const PolicyList = listOf(PolicyView, 'Policies.');
export type InvalidationView = Static<typeof InvalidationView>;
export type ParkedView = Static<typeof ParkedView>;
export type PolicyValue = Static<typeof PolicyValue>;
export type PolicyView = Static<typeof PolicyView>;
export type InvalidationList = Static<typeof InvalidationList>;
export type ParkedList = Static<typeof ParkedList>;
export type PolicyList = Static<typeof PolicyList>;
