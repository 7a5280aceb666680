import { Type, type Static } from 'typebox';
import { grantedAttempt, nullable, oneOf, Position, valuesOf } from '../schemas/field.js';
import { EvidenceCall } from './evidence.js';
import { CLAIM_STATE, INGEST_OUTCOME } from '../vocabulary.js';

/** `POST /v1/events`: what became of each event. */

const ClaimState = oneOf(valuesOf(CLAIM_STATE), { description: 'What the worker should do with the attempt.' });

export const IngestResult = Type.Object(
  {
    index: Type.Integer({ minimum: 0, description: 'Place in the batch, from 0.' }),
    id: nullable(Type.String(), { description: 'The event’s `id`; null where it could not be read.' }),
    outcome: oneOf(valuesOf(INGEST_OUTCOME), {
      description:
        'appended: in the log. duplicate: already there. recorded: a heartbeat, in the lease table. refused: not taken. quarantined: kept as sent, not counted.',
    }),
    code: Type.Optional(Type.String({ description: 'Why it was refused or quarantined; stable.' })),
    detail: Type.Optional(Type.String({ description: 'The same for people: which field, what was found, what to do.' })),
    position: Type.Optional(Position),
    state: Type.Optional(ClaimState),
    jobs: Type.Optional(
      Type.Array(
        Type.Object({
          queue: Type.String(),
          id: Type.String(),
          attempt: grantedAttempt,
          state: ClaimState,
          code: Type.Optional(Type.String({ description: 'Why the beat renewed nothing, such as `superseded` or `token_required`.' })),
        }),
        { description: 'Of a worker’s heartbeat: the state of each attempt that it named.' },
      ),
    ),
    evidence: Type.Optional(EvidenceCall),
    refusedQueues: Type.Optional(
      Type.Array(Type.String(), {
        description: 'Of a worker’s heartbeat: queues of these attempts in which its revision is out of service. Begin nothing more of them; what runs may go on.',
      }),
    ),
  },
  { description: 'What became of one event. Appended and recorded mean committed.' },
);
export type IngestResult = Static<typeof IngestResult>;

export const IngestResponse = Type.Object(
  { results: Type.Array(IngestResult, { description: 'In the order of the batch.' }) },
  { description: 'Answer to `POST /v1/events`.' },
);
export type IngestResponse = Static<typeof IngestResponse>;
