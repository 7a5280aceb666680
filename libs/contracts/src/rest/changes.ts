import { Type, type Static } from 'typebox';

/** One note of the stream `changes`: something of this kind is not what it was. Members that are left out: of any. */
export const ChangeNote = Type.Object({
  what: Type.String({ description: 'job, queue, verdict, run, incident, dead-letters, redrive, quarantine, installation, signal, maintenance, revision; there may be more.' }),
  namespace: Type.Optional(Type.String()),
  queue: Type.Optional(Type.String()),
  id: Type.Optional(Type.String({ description: 'Of the job or the incident.' })),
});
export type ChangeNote = Static<typeof ChangeNote>;
