import { Type, type Static } from 'typebox';
import { BodyRef, count, grantedAttempt, instant, jobId, namespace, nullable, oneOf, queue, valuesOf, whyKept } from '../schemas/field.js';
import { ChainLink, Cut, FirstCause, Hop, Patch } from '../schemas/outgoing.js';
import { QUARANTINE_REASON } from '../vocabulary.js';
import { ErasureView } from './jobs.js';
import { listOf } from './problem.js';

/** `GET /v1/dead-letters` (jobs that failed for good) and `GET /v1/quarantine` (events that could not be stored as sent). */

export const DeadLetterView = Type.Object(
  {
    namespace,
    queue,
    id: jobId,
    kind: nullable(Type.String()),
    attempt: grantedAttempt,
    n: count('Number of the decision.'),
    at: instant('When it was dead-lettered.'),
    reason: Type.String({ description: 'A stable word.' }),
    by: Type.String({ description: '`jobwarden`, or who asked.' }),
    chain: Type.Array(ChainLink, { description: 'Every attempt, oldest first.' }),
    firstCause: Type.Optional(FirstCause),
    payload: Type.Optional(BodyRef),
    erased: Type.Optional(ErasureView),
    redrives: count('How often it was redriven before.'),
    hops: Type.Array(Hop, { description: 'Each redrive, oldest first: who sent it round again, and why.' }),
    pattern: Type.Optional(Type.String({ description: 'Id of the pattern that its newest death is of; there a second or two after it. Of one dead letter only.' })),
    cut: Type.Optional(Type.Array(Cut, { description: 'What redaction and limits cut, of its first 20 events that it was cut out of. Of one dead letter only.' })),
    patches: Type.Optional(Type.Array(Patch, { description: 'Each change of its payload by hand, oldest first.' })),
  },
  { description: 'A job that failed for good, with the whole chain.' },
);

export const QuarantineEntry = Type.Object(
  {
    entryId: Type.String(),
    at: instant('When it came.'),
    reason: oneOf(valuesOf(QUARANTINE_REASON), { description: 'Why it could not be stored as sent.' }),
    detail: Type.String({ description: 'Which field, what was found, what to do.' }),
    lane: Type.Optional(Type.String({ description: 'The lane that it came by.' })),
    namespace: Type.Optional(namespace),
    queue: Type.Optional(nullable(Type.String(), { description: 'Of the job that it names; verdicts on it are held.' })),
    id: Type.Optional(nullable(Type.String(), { description: 'Of the job that it names.' })),
    source: Type.Optional(nullable(Type.String())),
    eventId: Type.Optional(nullable(Type.String())),
    type: Type.Optional(nullable(Type.String())),
    bytes: count('Size of what was kept.'),
    body: Type.String({ description: 'What was kept, after redaction: text, or base64 where `encoding` says so.' }),
    encoding: Type.Optional(oneOf(['utf8', 'base64'] as const, { description: 'Default utf8.' })),
    state: oneOf(['open', 'replayed', 'dismissed'] as const, { description: 'Open ones hold verdicts.' }),
    closedAt: Type.Optional(instant('When it was replayed or dismissed.')),
    closedBy: Type.Optional(Type.String()),
  },
  { description: 'An event that could not be stored as sent.' },
);

/** `POST /v1/quarantine/{id}/{replay,dismiss}` */
export const QuarantineCall = Type.Object({ reason: whyKept('Why; kept.') });

export const DeadLetterList = listOf(DeadLetterView, 'Dead letters, newest first.');
export const QuarantineList = listOf(QuarantineEntry, 'Quarantine, newest first.');
export type DeadLetterView = Static<typeof DeadLetterView>;
export type QuarantineEntry = Static<typeof QuarantineEntry>;
export type QuarantineCall = Static<typeof QuarantineCall>;
export type DeadLetterList = Static<typeof DeadLetterList>;
export type QuarantineList = Static<typeof QuarantineList>;
