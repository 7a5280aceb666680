import { Type, type Static } from 'typebox';
import { JOB_STATUSES } from '#libs/domain';
import { count, grantedAttempt, instant, jobId, namespace, nullable, oneOf, queue } from '../schemas/field.js';

/** `POST /v1/reconciliations/compare`: what somebody else believes, and where it differs. */

export const TheirJob = Type.Object(
  {
    namespace: Type.Optional(namespace),
    queue: Type.Optional(queue),
    id: Type.Union([jobId, Type.Integer()], { description: 'Id of the job; a number counts as its text.' }),
    status: Type.String({ description: 'As they say it; `map` or `preset` says what it means.' }),
    attempt: Type.Optional(grantedAttempt),
  },
  { description: 'One line of the list. Other fields are left alone.' },
);

const KINDS = ['unknown_here', 'unknown_there', 'theirs_behind', 'theirs_ahead', 'differs'] as const;
const kind = oneOf(KINDS, {
  description:
    'unknown_here: they know a job that we do not. unknown_there: it is not finished here, and they do not have it. theirs_behind: they say less than we know. theirs_ahead: they say more: an event was lost. differs: neither is further.',
});
const line = Type.Integer({ minimum: 1, description: 'Line of the list, from 1.' });
const ourStatus = oneOf(JOB_STATUSES, { description: 'Where it stands here.' });

export const ComparedJob = Type.Object(
  {
    type: Type.Literal('difference'),
    kind,
    line: nullable(line, { description: 'Line of the list; null: it is not in it.' }),
    namespace,
    queue,
    id: jobId,
    theirs: nullable(
      Type.Object({
        status: Type.String({ description: 'As they said it.' }),
        means: oneOf([...JOB_STATUSES, 'unknown'], { description: 'What it means here.' }),
        attempt: Type.Optional(grantedAttempt),
      }),
      { description: 'null: they did not name it.' },
    ),
    ours: nullable(
      Type.Object({ status: ourStatus, attempt: grantedAttempt, since: instant('Since when the status holds.') }),
      { description: 'null: nothing has ever been heard of it.' },
    ),
    mend: Type.Optional(
      Type.Object({
        outcome: oneOf(['done', 'would-have', 'held', 'not-applicable'], { description: 'What became of the mend.' }),
        why: Type.Optional(
          Type.String({ description: 'lease, not_before, quarantine, actions_off, broken_lines, moved, kind …, or the level.' }),
        ),
      }),
    ),
  },
  { description: 'One job on which the two differ, also at a second look.' },
);

export const BrokenListLine = Type.Object(
  {
    type: Type.Literal('broken'),
    line,
    reason: Type.String({
      description: 'too_long, not_utf8, not_json, not_an_object, field, status_unknown or namespace_unknown.',
    }),
    detail: Type.String({ description: 'For people.' }),
  },
  { description: 'A line that says nothing; the others were compared.' },
);

const figures = {
  compared: count('Lines that were read as a job.'),
  same: count('Of them without a difference.'),
  moved: count('Differed only because they moved: since `asOf`, or between two looks.'),
  broken: count('Lines that say nothing.'),
  total: count('Differences.'),
  differences: Type.Object(Object.fromEntries(KINDS.map((k) => [k, count(`Of kind ${k}.`)])), {
    description: 'Differences by kind.',
  }),
  mended: Type.Optional(
    Type.Object(
      {
        done: count('Decided, and goes out.'),
        'would-have': count('The level of their queue is below act.'),
        held: count('Something speaks against it.'),
        'not-applicable': count('It mends no difference of this kind.'),
      },
      { description: 'Of the mend that was asked for.' },
    ),
  ),
  asOf: instant('What changed after it counts as movement.'),
};

export const ComparisonSummary = Type.Object(
  { type: Type.Literal('summary'), ...figures },
  { description: 'The last line of a comparison that came to its end.' },
);

export const BrokenComparison = Type.Object(
  { type: Type.Literal('error'), code: Type.String(), detail: Type.String(), requestId: Type.String() },
  { description: 'The last line of one that did not: repeat it.' },
);

export const Comparison = Type.Object(
  {
    ...figures,
    examples: Type.Array(ComparedJob, { description: 'Of each kind the first 20.' }),
    brokenLines: Type.Array(BrokenListLine, { description: 'The first 20.' }),
  },
  { description: 'What a comparison came to.' },
);

export type TheirJob = Static<typeof TheirJob>;
export type ComparedJob = Static<typeof ComparedJob>;
export type BrokenListLine = Static<typeof BrokenListLine>;
export type ComparisonSummary = Static<typeof ComparisonSummary>;
export type BrokenComparison = Static<typeof BrokenComparison>;
export type Comparison = Static<typeof Comparison>;
