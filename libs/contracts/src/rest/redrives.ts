import { Type, type Static } from 'typebox';
import { count, instant, namespace, nullable, oneOf, queue, whyKept } from '../schemas/field.js';
import { listOf } from './problem.js';

/** `POST /v1/dead-letters/redrives`: many dead letters of one queue, at a rate. */

const filter = {
  queue,
  pattern: Type.Optional(Type.String({ description: 'Only those whose newest death is of this pattern.' })),
  kind: Type.Optional(Type.String({ description: 'Only jobs of this kind.' })),
  diedOf: Type.Optional(Type.String({ description: 'Only with this reason: `failed`, `lost`, `poison_pill` …' })),
};

export const RedriveCall = Type.Object(
  {
    ...filter,
    count: Type.Optional(
      Type.Integer({ minimum: 1, description: 'How many you have seen: another number by now is answered 409. Left out: they are only counted.' }),
    ),
    perSecond: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000, default: 50, description: 'So many a second.' })),
    force: Type.Optional(Type.Boolean({ description: 'Beyond `maxRedrives` too; kept with each decision.' })),
    reason: Type.Optional(whyKept('Why; kept with each decision. Needed with `count`.')),
  },
  { description: 'Which dead letters are sent round again, and how fast.' },
);

export const RedriveRunView = Type.Object(
  {
    id: Type.String(),
    namespace,
    ...filter,
    perSecond: Type.Integer(),
    force: Type.Boolean(),
    by: Type.String(),
    reason: Type.String(),
    status: oneOf(['running', 'stopped', 'finished'] as const, { description: 'How it stands.' }),
    startedAt: instant('What dies later is not meant.'),
    endedAt: nullable(Type.String({ format: 'date-time' }), { description: 'null: it is running.' }),
    stoppedBy: Type.Optional(Type.String({ description: 'Who has stopped it.' })),
    wanted: count('As counted at its start.'),
    redriven: count('On their way again.'),
    refused: count('Left where they were.'),
    refusals: Type.Record(Type.String(), Type.Integer(), { description: 'Those by why: `max_redrives`, `already_succeeded` …' }),
    left: count('Not looked at yet.'),
  },
  { description: 'Many dead letters on their way round again.' },
);

export const RedriveAnswer = Type.Object(
  {
    found: count('Dead letters that the filter finds.'),
    run: nullable(RedriveRunView, { description: 'null: they were only counted.' }),
    outlook: Type.Optional(
      Type.Object(
        {
          looked: count('Of how many it was found out: of the oldest 500 at most.'),
          refusals: Type.Record(Type.String(), Type.Integer(), { description: 'Those that would be left where they are, by why: `max_redrives`, `payload_erased` …' }),
        },
        { description: 'What would happen if it began now. Only where they were only counted.' },
      ),
    ),
  },
  { description: 'How many are meant, and what was started.' },
);

export const RedriveRunList = listOf(RedriveRunView, 'Runs, newest first.');

export type RedriveCall = Static<typeof RedriveCall>;
export type RedriveRunView = Static<typeof RedriveRunView>;
export type RedriveAnswer = Static<typeof RedriveAnswer>;
export type RedriveRunList = Static<typeof RedriveRunList>;
