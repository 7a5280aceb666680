import { Type, type Static } from 'typebox';
import { count, duration, instant, namespace, nullable, oneOf, whyKept } from '../schemas/field.js';

/** What one bad worker of an incident knew of itself: its diagnostic report, and its heap. */

export const EVIDENCE_PARTS = ['report', 'heap-snapshot'] as const;
const kind = oneOf(EVIDENCE_PARTS, { description: 'report: Node’s diagnostic report. heap-snapshot: everything in memory, for Chrome’s tools.' });

/** In the answer to a worker’s heartbeat. */
export const EvidenceCall = Type.Object(
  {
    id: Type.String({ description: 'Where it goes: `POST /v1/evidence/{id}/{kind}`.' }),
    key: Type.String({ description: 'Sent with each body, as the header `jobwarden-evidence-key`.' }),
    kinds: Type.Array(kind, { description: 'What is wanted; a worker sends what it allows.' }),
    withinMs: duration('How long it is waited for from now on.'),
    maxBytes: count('A larger body is not taken.'),
  },
  { description: 'This process is asked for what it knows of itself.' },
);

export const EvidenceView = Type.Object(
  {
    id: Type.String(),
    incident: Type.String({ description: 'Id of the incident that asked for it.' }),
    namespace,
    revision: nullable(Type.String(), { description: 'The accused release; null: any of the queue’s workers was asked.' }),
    worker: nullable(Type.String(), { description: 'Who was asked; null: none was alive.' }),
    askedAt: instant('When, by the lane’s clock.'),
    endedAt: nullable(instant('When it was over; null: it is being waited for.')),
    outcome: nullable(oneOf(['captured', 'timed-out', 'refused', 'no-worker']), {
      description: 'null: it is being waited for. refused: the worker allows none of it.',
    }),
    parts: Type.Array(
      Type.Object({
        kind,
        state: oneOf(['arriving', 'kept', 'refused', 'broken'], { description: 'kept: it is there, whole.' }),
        bytes: count('Size.'),
        sha256: nullable(Type.String(), { description: 'Of the bytes, lower-case hex.' }),
        reason: nullable(Type.String(), { description: 'Why there is none.' }),
      }),
      { description: 'What was asked for.' },
    ),
    erased: nullable(Type.Object({ at: instant('When.'), by: Type.String(), reason: Type.String() }), { description: 'null: it was not erased by hand.' }),
  },
  { description: 'What one bad worker was asked for, and what came of it.' },
);

export const EvidenceList = Type.Object({ items: Type.Array(EvidenceView, { description: 'One at most.' }) }, { description: 'The evidence of an incident.' });

export const EvidenceKept = Type.Object({ bytes: count('Size.'), sha256: Type.String({ description: 'Of the bytes, lower-case hex.' }) }, { description: 'It is kept.' });

export const EvidenceDone = Type.Object(
  {
    refused: Type.Optional(
      Type.Array(Type.Object({ kind, reason: Type.String({ maxLength: 500, description: 'Such as that it is not allowed.' }) }), { maxItems: 2, description: 'What the worker does not send.' }),
    ),
  },
  { description: 'The worker has sent what it sends.' },
);

export const EvidenceEraseCall = Type.Object({ reason: whyKept('Why; kept.') }, { description: 'Erases the bodies for good.' });

export type EvidenceView = Static<typeof EvidenceView>;
export type EvidenceList = Static<typeof EvidenceList>;
export type EvidenceKept = Static<typeof EvidenceKept>;
export type EvidenceDone = Static<typeof EvidenceDone>;
export type EvidenceEraseCall = Static<typeof EvidenceEraseCall>;
