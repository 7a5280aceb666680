import { Type, type Static } from 'typebox';
import { FOLLOW_UP_KINDS } from '#libs/domain';
import { instant, nullable, oneOf } from '../schemas/field.js';
import { incidentFields } from '../schemas/incidents.js';
import { IncidentStepView } from './incidents.js';
import { listOf } from './problem.js';

/** `GET /v1/incidents/{id}/postmortem`, answers to its items, its signature, and follow-ups. */

const figures = Type.Record(Type.String(), Type.Union([Type.Number(), Type.String()]), { description: 'What it is said by.' });
const ms = (description: string) => nullable(Type.Integer(), { description: `${description} Milliseconds; null = not known, or it has not come to that.` });
const time = (description: string) => nullable(instant(description), { description: `${description} null = not known, or it has not come to that.` });
const written = (description: string) => Type.String({ minLength: 1, maxLength: 8_192, description: `${description} At most 8,192 characters.` });
const by = Type.String({ description: 'Who.' });

export const FollowUpView = Type.Object(
  {
    followUpId: Type.String(),
    incidentId: Type.String(),
    kind: oneOf(FOLLOW_UP_KINDS, { description: '`task`: to be done; `lesson`: what was learned.' }),
    text: Type.String(),
    owner: nullable(Type.String(), { description: 'Who is to see to it; null = nobody was named.' }),
    addedBy: by,
    addedAt: instant('When it was added.'),
    done: nullable(Type.Object({ by, at: instant('When.'), note: nullable(Type.String()) }), { description: 'null = it is still to be done.' }),
  },
  { description: 'A lesson or a task that an incident left behind.' },
);

const PostmortemItem = Type.Object(
  {
    item: Type.String({ description: 'Its name in paths.' }),
    asks: Type.String(),
    answeredBy: oneOf(['data', 'person', 'open'], { description: '`open`: a person has to answer it.' }),
    data: nullable(Type.Object({ says: Type.String(), figures, settles: Type.Boolean({ description: 'false = figures for whoever answers.' }) }), { description: 'What is known of it; null = nothing.' }),
    person: nullable(Type.Object({ answer: Type.String(), by, at: instant('When.') }), { description: 'The newest word of a person; null = none.' }),
  },
  { description: 'An item of a checklist.' },
);

export const PostmortemView = Type.Object(
  {
    incidentId: Type.String(),
    ...incidentFields,
    namespace: nullable(Type.String()),
    queue: nullable(Type.String()),
    open: Type.Boolean({ description: 'Nobody has signed it.' }),
    missing: Type.Array(Type.String(), { description: 'What keeps it from being signed: items that are open, and `resolved` while the incident is not.' }),
    times: Type.Object({
      beganAt: time('Since when more failed than was usual.'),
      isolatedAt: time('When what was to blame did no harm any more.'),
      restoredAt: time('When all was let in again.'),
      resolvedAt: time('When the incident was over.'),
      detectMs: ms('From the beginning to the opening.'),
      isolateMs: ms('From the opening on.'),
      restoreMs: ms('From the opening on.'),
    }),
    cause: nullable(
      Type.Object({
        cause: Type.String(),
        subject: nullable(Type.String(), { description: 'What is to blame; null = nothing that has a name.' }),
        confidence: Type.Number({ description: '0 to 1.' }),
        selfSustained: Type.Boolean(),
        evidence: Type.Array(Type.Object({ says: Type.String(), figures })),
      }),
      { description: 'The last assessment; null = none was made.' },
    ),
    timeline: Type.Array(IncidentStepView, { description: 'All steps, oldest first, with who took them and what was before and after.' }),
    jobs: Type.Object({
      byStatus: Type.Record(Type.String(), Type.Integer(), { description: 'Jobs that came to stand there in that time, and do not stand as succeeded.' }),
      waiting: Type.Integer({ description: 'Jobs that wait now.' }),
      examples: Type.Array(Type.Object({ namespace: Type.String(), queue: Type.String(), id: Type.String(), status: Type.String(), link: Type.String({ description: 'Path of the service’s own report on it.' }) })),
    }),
    checklists: Type.Array(Type.Object({ checklist: Type.String(), title: Type.String(), items: Type.Array(PostmortemItem) })),
    followUps: Type.Array(FollowUpView, { description: 'The oldest 100.' }),
    moreFollowUps: Type.Integer({ description: 'How many there are beyond these: `GET /v1/follow-ups?incident=` lists all.' }),
    signature: nullable(Type.Object({ by, at: instant('When.'), note: nullable(Type.String()) }), { description: 'null = nobody has signed it.' }),
  },
  { description: 'What happened, from the incident’s own steps and from figures, with two checklists that are answered by them or by a person.' },
);

/** `PUT /v1/incidents/{id}/postmortem/items/{item}` */
export const PostmortemAnswerCall = Type.Object({ answer: written('The answer; kept with its author.') });
/** `POST /v1/incidents/{id}/postmortem/sign` */
export const PostmortemSignCall = Type.Object({ note: Type.Optional(written('Whatever is to be said with the signature.')) });
/** `POST /v1/incidents/{id}/postmortem/follow-ups` */
export const FollowUpCall = Type.Object({
  text: written('What is to be done, or was learned.'),
  kind: Type.Optional(oneOf(FOLLOW_UP_KINDS, { description: '`task` (default) or `lesson`.' })),
  owner: Type.Optional(Type.String({ minLength: 1, maxLength: 255, description: 'Who is to see to it. At most 255 characters.' })),
});
/** `POST /v1/follow-ups/{id}/done` */
export const FollowUpDoneCall = Type.Object({ note: Type.Optional(written('What came of it.')) });
export const FollowUpList = listOf(FollowUpView, 'Lessons and follow-ups, the oldest first.');

export type FollowUpView = Static<typeof FollowUpView>;
export type FollowUpList = Static<typeof FollowUpList>;
export type PostmortemView = Static<typeof PostmortemView>;
export type PostmortemAnswerCall = Static<typeof PostmortemAnswerCall>;
export type PostmortemSignCall = Static<typeof PostmortemSignCall>;
export type FollowUpCall = Static<typeof FollowUpCall>;
export type FollowUpDoneCall = Static<typeof FollowUpDoneCall>;
