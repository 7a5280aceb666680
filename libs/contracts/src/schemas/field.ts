import { Type, type TSchema, type TSchemaOptions, type TUnsafe } from 'typebox';
import { MAX_TOKEN } from '#libs/domain';

/** Fields that occur in many schemas. Lengths in bytes are configurable limits, so they stand in the texts only. */

/** Marks what names a job, queue or time in an event: redaction leaves it alone, or it would name something else. */
export const IDENTITY = 'Never redacted: it says what the event is about.';

/** One of a list of words. */
export function oneOf<const V extends readonly string[]>(values: V, options: TSchemaOptions = {}): TUnsafe<V[number]> {
  return Type.Unsafe<V[number]>({ type: 'string', enum: [...values], ...options });
}

/** The values of a const object, for {@link oneOf}. */
export function valuesOf<T extends string>(words: Readonly<Record<string, T>>): readonly T[] {
  return Object.values(words);
}

export const nullable = <T extends TSchema>(schema: T, options: TSchemaOptions = {}) =>
  Type.Union([schema, Type.Null()], options);

/** A short name, not empty. */
export const name = (description: string) =>
  Type.String({ minLength: 1, description: `${description} At most 255 bytes of UTF-8.` });

export const text = (description: string) => Type.String({ description });

/** Why an operator does it: kept, and shown with every answer about it. */
export const whyKept = (description: string) =>
  Type.String({ minLength: 1, maxLength: 8_192, description: `${description} At most 8,192 characters.` });

/** A time of the REST API: ISO 8601, UTC. */
export const instant = (description: string) =>
  Type.String({ format: 'date-time', description: `${description} ISO 8601, UTC.` });

/** A whole number from 0 on, within what a column of 8 bytes holds. */
export const count = (description: string) =>
  Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, description });

/** A duration in ms. Fractions are rounded; at most 400 days. */
export const duration = (description: string, minimum = 0) =>
  Type.Number({ minimum, description: `${description} Milliseconds, at most 400 days.` });

/** Far beyond any job, with room above it in a column of 4 bytes for the attempts that are granted after it. */
export const MAX_ATTEMPT = 1_000_000_000;

export const attempt = Type.Integer({
  minimum: 1,
  maximum: MAX_ATTEMPT,
  default: 1,
  description: 'Counts the runs of the job from 1; left out = 1.',
});

export const grantedAttempt = Type.Integer({
  minimum: 1,
  maximum: 2 ** 31 - 1,
  description: 'Counts the runs of the job from 1.',
});

export const token = Type.Integer({
  minimum: 0,
  maximum: MAX_TOKEN,
  description: 'Fencing token of the attempt: epoch × 2³² + attempt, below 2⁵³. An emitter’s own is data, no authority.',
});

export const queue = Type.String({
  minLength: 1,
  $comment: IDENTITY,
  description: 'Name of the queue. At most 255 bytes of UTF-8.',
});

export const namespace = Type.String({
  minLength: 1,
  default: 'default',
  $comment: IDENTITY,
  description: 'Keeps the jobs of tenants or environments apart. At most 255 bytes of UTF-8.',
});

export const jobId = Type.String({
  minLength: 1,
  $comment: IDENTITY,
  description: 'Id of the job: one run of one thing. At most 2,048 bytes of UTF-8.',
});

export const Worker = Type.Object(
  {
    id: name('Name of the worker process, the same over restarts.'),
    incarnation: Type.Optional(name('Changes with each start of the process.')),
    revision: Type.Optional(name('The release that the worker runs.')),
    track: Type.Optional(name('`canary` or `stable`, or any name of a roll-out group.')),
  },
  { description: 'Who did it.' },
);

export const Invalidates = Type.Object(
  {
    keys: Type.Optional(Type.Array(text('A cache key. At most 8,192 bytes of UTF-8.'), { description: 'Cache keys.' })),
    tags: Type.Optional(Type.Array(text('A cache tag. At most 8,192 bytes of UTF-8.'), { description: 'Cache tags.' })),
  },
  { description: 'What caches must no longer serve once this has happened.' },
);

export const BodyRef = Type.Union(
  [
    Type.Object({
      hash: Type.String({ pattern: '^[0-9a-f]{64}$', description: 'SHA-256 of the bytes, lower-case hex.' }),
      bytes: count('Size.'),
    }),
    Type.Object({ ref: text('The emitter’s own reference to where the body lies.') }),
  ],
  { description: 'A body kept beside the log by its hash, or outside it by reference.' },
);

export const Position = Type.Object(
  {
    shard: count('Shard of the log.'),
    number: Type.Integer({ minimum: 1, description: 'Place within the shard; order of number is order of commit.' }),
  },
  { description: 'Place in the log. Positions of two shards are never compared.' },
);
