import { Type, type Static } from 'typebox';
import { PATCH_OPERATIONS } from '../patch/operations.js';
import { BodyRef, count, grantedAttempt, oneOf } from '../schemas/field.js';
import { JobStatusWord } from './jobs.js';

/** `POST …/jobs/{id}/patch` */
export const PatchCall = Type.Object(
  {
    patch: Type.Array(
      Type.Object({
        op: oneOf(PATCH_OPERATIONS, { description: 'What to do.' }),
        path: Type.String({ description: 'JSON Pointer into the payload; the whole of it is empty.' }),
        from: Type.Optional(Type.String({ description: 'JSON Pointer; of `move` and `copy`.' })),
        value: Type.Optional(Type.Unknown({ description: 'Any JSON; of `add`, `replace` and `test`.' })),
      }),
      { description: 'A JSON Patch (RFC 6902), at most 1,000 operations. New values are written as they are spelled here.' },
    ),
    preview: Type.Optional(Type.Boolean({ default: false, description: 'Only shows what it would change. Default false.' })),
    reason: Type.Optional(Type.String({ minLength: 1, description: 'Why; kept with the decisions. Needed unless it is a preview.' })),
    result: Type.Optional(
      Type.String({ pattern: '^[0-9a-f]{64}$', description: '`after.hash` of the preview: refused with 409 when the payload would come out otherwise by now.' }),
    ),
    force: Type.Optional(Type.Boolean({ default: false, description: 'Beyond `maxRedrives` too. Default false.' })),
  },
  { description: 'Changes the payload of a dead letter and sends it round again.' },
);

export const PayloadChange = Type.Object(
  {
    path: Type.String({ description: 'JSON Pointer.' }),
    before: Type.Optional(Type.String({ description: 'What stood there, as JSON text; left out: nothing did.' })),
    after: Type.Optional(Type.String({ description: 'What stands there now, as JSON text; left out: nothing does.' })),
  },
  { description: 'One place at which the payloads differ.' },
);

export const PatchAnswer = Type.Object(
  {
    preview: Type.Boolean({ description: 'Nothing was done.' }),
    status: JobStatusWord,
    attempt: grantedAttempt,
    n: count('Number of the last decision.'),
    before: BodyRef,
    after: BodyRef,
    changes: Type.Array(PayloadChange, { description: 'Where they differ, at most 100 places; elements of arrays by their index. Values beyond 2,000 characters are cut.' }),
    redacted: Type.Array(Type.String(), { description: 'What the rules of redaction cut out of the new payload.' }),
    schema: Type.Optional(Type.String({ description: 'The JSON Schema that it fulfils, where the queue has one.' })),
  },
  { description: 'The payload as it was, and as it is, or would be.' },
);

export type PatchCall = Static<typeof PatchCall>;
export type PatchAnswer = Static<typeof PatchAnswer>;
