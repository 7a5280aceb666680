import { Type, type Static } from 'typebox';
import { grantedAttempt, instant, jobId, namespace, nullable, oneOf, queue } from '../schemas/field.js';
import { ChainLink, FirstCause } from '../schemas/outgoing.js';

/** `GET /v1/dead-letters/one/fixture`: one dead letter as the input of a test, by the rules of redaction as they are now. */

export const FIXTURE_FORMAT = 'jobwarden.dead-letter-fixture.v1';

export const FixtureFailure = Type.Object(
  {
    attempt: grantedAttempt,
    class: Type.String({ description: 'Name of the error’s class.' }),
    message: Type.String(),
    messageMatches: Type.String({
      description: 'Regular expression (flags su) of the message, in which numbers, ids, times, addresses, quoted values and what redaction cut may be others.',
    }),
    code: Type.Optional(Type.String()),
    responseStatus: Type.Optional(Type.Integer()),
    stack: Type.Optional(Type.String()),
  },
  { description: 'The first failure that said why (what came later may be only its consequence), or that of the attempt asked for.' },
);

export const DeadLetterFixture = Type.Object(
  {
    format: Type.Literal(FIXTURE_FORMAT),
    job: Type.Object({ namespace, queue, id: jobId, kind: nullable(Type.String()), attempt: grantedAttempt }),
    diedAt: instant('When it was dead-lettered.'),
    reason: Type.String({ description: 'A stable word.' }),
    failure: nullable(FixtureFailure, { description: 'null: no attempt said why it ended.' }),
    payload: Type.Optional(Type.Unknown({ description: 'What that attempt ran with, as it was sent or patched, redacted.' })),
    payloadRef: Type.Optional(Type.String({ description: 'Where the payload lies.' })),
    snapshot: Type.Optional(Type.Unknown({ description: 'The payload as the failed attempt saw it, redacted.' })),
    missing: Type.Optional(
      oneOf(['none', 'reference', 'erased'] as const, {
        description: 'Why there is no payload. none: none was told. reference: it lies elsewhere. erased: it was.',
      }),
    ),
    firstCause: Type.Optional(FirstCause),
    chain: Type.Array(ChainLink, { description: 'Every attempt, oldest first.' }),
  },
  { description: 'A dead letter as the input of a test.' },
);

export type FixtureFailure = Static<typeof FixtureFailure>;
export type DeadLetterFixture = Static<typeof DeadLetterFixture>;
