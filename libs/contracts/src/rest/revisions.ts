import { Type, type Static } from 'typebox';
import { count, instant, name, namespace, nullable, queue, whyKept } from '../schemas/field.js';
import { listOf } from './problem.js';

/** `GET /v1/revisions`, `POST /v1/revisions/{refuse,readmit}`: releases of workers, and which are out of service. */

const ofQueue = nullable(queue, { description: 'null: every queue of the namespace.' });
const revision = name('As workers name it in `worker.revision`.');

export const RefusalView = Type.Object(
  {
    id: Type.String({ description: 'Of the decision.' }),
    ...{ namespace, queue: ofQueue, revision },
    reason: Type.String({ description: 'Why it was refused.' }),
    by: Type.String({ description: 'Who refused it.' }),
    incident: Type.Optional(Type.String({ description: 'Id of the incident that it was done for; left out: by hand.' })),
    at: instant('Since when, by the lane’s clock.'),
    lifted: nullable(
      Type.Object({ at: instant('When it was let in again.'), by: Type.String(), reason: Type.String() }),
      { description: 'null: it stands.' },
    ),
  },
  { description: 'A release that is or was out of service.' },
);

export const RevisionView = Type.Object(
  {
    namespace,
    queue: nullable(queue, { description: 'null: its workers hold nothing now, so their queue is not known; or it is refused in every queue.' }),
    revision,
    workers: count('Workers that beat within the last minute.'),
    running: count('Attempts that they hold.'),
    lastBeatAt: nullable(instant('Last beat of any of them, by the lane’s clock.')),
    record: nullable(
      Type.Object({
        started: count('Attempts begun.'),
        succeeded: count('Attempts that succeeded.'),
        failed: count('Attempts that failed.'),
        lost: count('Attempts whose worker fell silent.'),
        since: instant('When it was first heard of in this time, to 10 s; what is older than an hour to 5 minutes.'),
        until: instant('When it was last heard of.'),
      }),
      { description: 'What it has done in the queue within the last day; null: nothing.' },
    ),
    refused: nullable(RefusalView, { description: 'null: it may claim.' }),
  },
  { description: 'A release as it was seen in a queue within the last day; of one that is at work in no queue now, each in which it was.' },
);

export const RevisionList = Type.Object(
  { items: Type.Array(RevisionView, { description: 'By queue, the newest beat first; at most 1,000.' }) },
  { description: 'Releases of workers.' },
);

export const RefusalList = listOf(RefusalView, 'Decisions about releases, newest first.');

const scope = { namespace: Type.Optional(namespace), queue: Type.Optional(queue), revision };

export const RefuseCall = Type.Object(
  {
    ...scope,
    force: Type.Optional(Type.Boolean({ description: 'Also a release that no worker names, the last one that is alive, and the only one that does well.' })),
    reason: whyKept('Why; kept.'),
  },
  { description: 'Takes a release out of service, in a queue or, without one, in all of the namespace.' },
);
export const ReadmitCall = Type.Object({ ...scope, reason: whyKept('Why; kept.') }, { description: 'Lets a release in again: what was refused in all queues is let in for all.' });

export const RefusalAnswer = Type.Object(
  {
    refusal: RefusalView,
    changed: Type.Boolean({ description: 'false: it stood already, with the reason that is shown.' }),
    refusedEverywhere: Type.Boolean({ description: 'Every live replica goes by it: nothing is granted to that release any more. Within two seconds; ask again with the same call.' }),
    liveLeases: count('Attempts of that release whose leases still run.'),
  },
  { description: 'How it stands now.' },
);

export type RefusalView = Static<typeof RefusalView>;
export type RevisionView = Static<typeof RevisionView>;
export type RevisionList = Static<typeof RevisionList>;
export type RefusalList = Static<typeof RefusalList>;
export type RefuseCall = Static<typeof RefuseCall>;
export type ReadmitCall = Static<typeof ReadmitCall>;
export type RefusalAnswer = Static<typeof RefusalAnswer>;
