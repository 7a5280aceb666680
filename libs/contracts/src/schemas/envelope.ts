import { Type, type Static, type TSchema } from 'typebox';
import { IDENTITY, namespace } from './field.js';

/** CloudEvents 1.0 as it comes in. Unknown extension attributes are kept. */
export const envelopeFields = {
  specversion: Type.Literal('1.0', { description: 'Version of CloudEvents.' }),
  id: Type.String({
    minLength: 1,
    $comment: IDENTITY,
    description: 'Unique with `source` within a job; a repeat is a duplicate. At most 1,024 bytes of UTF-8.',
  }),
  source: Type.String({
    minLength: 1,
    $comment: IDENTITY,
    description: 'Who says it, a URI reference. `jobwarden` is reserved. At most 1,024 bytes of UTF-8.',
  }),
  subject: Type.String({
    minLength: 1,
    $comment: IDENTITY,
    description: 'What it is about: a job id, for a worker’s heartbeat the worker id, for a queue’s state the queue.',
  }),
  type: Type.String({ minLength: 1, $comment: IDENTITY, description: 'Type of the event, with its version.' }),
  time: Type.Optional(
    Type.String({
      format: 'date-time',
      description: 'The emitter’s clock, RFC 3339. Shown; compared only within one attempt, and only to find anomalies.',
    }),
  ),
  traceparent: Type.Optional(Type.String({ description: 'W3C trace context of the emitter. What is none, or cannot be kept, is no fault of the event: it is left aside.' })),
  tracestate: Type.Optional(Type.String({ description: 'Goes with `traceparent`.' })),
  namespace: Type.Optional(namespace),
  datacontenttype: Type.Optional(Type.String({ description: 'Media type of `data`; JSON where it is left out.' })),
};

/** The envelope alone; `data` is checked by the schema of its type. */
export const CloudEvent = Type.Object(
  { ...envelopeFields, data: Type.Object({}, { description: 'As the type says.' }) },
  { title: 'CloudEvent', description: 'CloudEvents 1.0, structured JSON. Unknown extension attributes are kept.' },
);
export type CloudEvent = Static<typeof CloudEvent>;

/** A whole event of one type: envelope and data. */
export function eventOf<const T extends string, D extends TSchema>(type: T, data: D, description: string) {
  return Type.Object(
    { ...envelopeFields, type: Type.Literal(type, { description: 'Type of the event.' }), data },
    { title: type, description },
  );
}
