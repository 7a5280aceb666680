import { Type, type Static } from 'typebox';
import { duration, grantedAttempt, instant, jobId, namespace, nullable, oneOf, queue } from '../schemas/field.js';
import { JobStatusWord } from './jobs.js';
import { listOf, listQuery } from './problem.js';

/** `GET /v1/traces/incomplete` */

export const IncompleteQuery = Type.Object({
  ...listQuery,
  queue: Type.Optional(Type.String({ description: 'Only this queue.' })),
  since: Type.Optional(instant('Only jobs whose status holds since then or later.')),
});

const spanId = Type.String({ pattern: '^[0-9a-f]{16}$', description: 'Of W3C trace context.' });

export const IncompleteTrace = Type.Object(
  {
    namespace,
    queue,
    id: jobId,
    kind: nullable(Type.String(), { description: 'What sort of job it is.' }),
    status: JobStatusWord,
    attempt: grantedAttempt,
    because: oneOf(['would-have', 'starved', 'held', 'failed', 'incomplete'], {
      description:
        'Why nothing more is expected. `would-have`: it was found stuck, and Jobwarden may not act on it. `starved`: it waits for a start for longer than `startBy`. `held`: a verdict is due for over a minute, and something holds it. `failed`, `incomplete`: it stands there, and nothing is planned.',
    }),
    waitsFor: nullable(Type.String(), { description: 'As in the job.' }),
    heldBy: Type.Optional(Type.String({ description: 'What holds the verdict.' })),
    since: instant('Since when its status holds.'),
    traceId: Type.String({ pattern: '^[0-9a-f]{32}$', description: 'Of W3C trace context.' }),
    sampled: Type.Boolean({ description: 'false: its spans are kept nowhere.' }),
    traceUrl: Type.Optional(Type.String({ description: 'Where the trace is looked at (`traces.url` of the policy file).' })),
    lastSpan: Type.Object(
      {
        spanId,
        event: oneOf(['queued', 'claimed', 'started'], { description: 'What told of it. Of an attempt that died the span itself was never sent.' }),
        at: instant('When that was, by the lane’s clock.'),
        attempt: Type.Optional(grantedAttempt),
        worker: Type.Optional(Type.Object({ id: Type.String(), revision: Type.Optional(Type.String()) }, { description: 'Whose span it is.' })),
      },
      { description: 'The last span that is known: that of the newest attempt that told its own, or the producer’s.' },
    ),
    lastBeatAt: nullable(instant('Last sign of life of the current attempt under a lease.')),
    gaps: Type.Array(
      Type.Object({
        attempt: grantedAttempt,
        from: instant('End of the lease.'),
        until: nullable(instant('Next sign of life.'), { description: 'null: there has been none since.' }),
        ms: duration('How long it is, or has been so far.'),
      }),
      { description: 'Visibility gaps, oldest first, the last 20: nobody said that the attempt lives.' },
    ),
  },
  { description: 'A job whose trace began and is not completed.' },
);
export const IncompleteTraces = listOf(IncompleteTrace, 'A page of them; it may hold fewer than asked for although there is another.');

export type IncompleteQuery = Static<typeof IncompleteQuery>;
export type IncompleteTrace = Static<typeof IncompleteTrace>;
export type IncompleteTraces = Static<typeof IncompleteTraces>;
