import { Type, type Static } from 'typebox';
import { CAUSES, RUN_PHASES } from '#libs/domain';
import { instant, name, nullable, oneOf, queue, text, whyKept } from '../schemas/field.js';

/** `POST /v1/incidents`, `POST /v1/incidents/{id}/{approve,abort,approval-link}`, and the run within `GET /v1/incidents/{id}` */

export const RunQueueView = Type.Object(
  {
    namespace: name('Its namespace.'),
    queue,
    saturated: Type.Boolean({ description: 'false = it is not, and has the same target.' }),
    percent: nullable(Type.Number(), { description: 'What the run lets in of what is normal; null = it holds nothing back.' }),
    normalPerSecond: nullable(Type.Number(), { description: 'What is normal, jobs a second; null = it was never counted.' }),
  },
  { description: 'A queue of a run.' },
);

export const RunView = Type.Object(
  {
    phase: oneOf(RUN_PHASES, { description: 'Where it stands.' }),
    waitsFor: nullable(Type.String(), { description: 'For people; null = for nothing.' }),
    until: nullable(instant('When it waits no longer, by the lane’s clock; null = there is no such time, as where a person has to go on.')),
    target: nullable(Type.String(), { description: 'What is rolled back; null = nothing is named for it.' }),
    source: oneOf(['signal', 'person'] as const, { description: 'What opened it.' }),
    dryRun: Type.Boolean({ description: 'Nothing is done.' }),
    drill: Type.Boolean({ description: 'An exercise: nothing is wrong, and nothing is done.' }),
    cause: nullable(oneOf(CAUSES, { description: 'What it comes from.' }), { description: 'null = it is not known yet.' }),
    blamed: nullable(Type.String(), { description: 'The revision, the job, the error code … that is to blame; null = nothing of the kind.' }),
    plan: nullable(Type.Array(Type.String()), { description: 'What was told last of what it would do; null = it was not told.' }),
    acted: Type.Boolean({ description: 'Something was done, or was announced and may have been; false = everything is as it was before.' }),
    code: nullable(Type.String(), { description: 'Why it was escalated, a stable word; null = it was not.' }),
    queues: Type.Array(RunQueueView, { description: 'At most 1,000, the saturated ones first.' }),
  },
  { description: 'The run of an incident of saturation.' },
);

export const RunSummary = Type.Object(
  {
    phase: RunView.properties.phase,
    waitsFor: RunView.properties.waitsFor,
    until: RunView.properties.until,
    target: RunView.properties.target,
    source: RunView.properties.source,
    dryRun: RunView.properties.dryRun,
    drill: RunView.properties.drill,
    blamed: RunView.properties.blamed,
    code: RunView.properties.code,
    takenBy: nullable(Type.String(), { description: 'The last person who approved it, stopped it or said that it is over; null = nobody has.' }),
    queues: Type.Array(Type.Object({ namespace: name('Its namespace.'), queue }), { description: 'At most three, the saturated ones first.' }),
    queueCount: Type.Integer({ minimum: 0, description: 'How many there are.' }),
  },
  { description: 'Where the run of an incident in a list stands, and who has it.' },
);

/** `POST /v1/incidents` */
export const OpenIncidentCall = Type.Object({
  target: Type.Optional(text('What is to be rolled back, as the policy of a queue names it. This, or `queue`.')),
  queue: Type.Optional(queue),
  revision: Type.Optional(name('The revision that is to blame: it is isolated and rolled back whatever the levels say. Left out: the log is asked, and levels hold.')),
  reason: whyKept('Why; kept with the incident.'),
  dryRun: Type.Optional(Type.Boolean({ description: 'Only tells what would be done. Default false.' })),
});

/** `POST /v1/incidents/{id}/approve` */
export const ApproveRunCall = Type.Object(
  {
    reason: whyKept('Why; kept with the step.'),
    asked: Type.Optional(Type.Integer({ minimum: 1, description: 'Number of the step that was read and is approved: `approval-requested` or `escalated`. Where another one asks by now, nothing is approved. Left out: whatever is asked.' })),
  },
  { additionalProperties: false },
);

/** `POST /v1/incidents/{id}/abort` */
export const RunCall = Type.Object({ reason: whyKept('Why; kept with the step.') });

/** `POST /v1/incidents/{id}/approval-link` */
export const ApprovalLink = Type.Object(
  {
    path: Type.String({ description: 'To be put behind the service’s address. GET shows a page with a button, POST approves; whoever holds it may, without a token.' }),
    expiresAt: instant('Real time.'),
  },
  { description: 'A link that approves what is asked now, once.' },
);

/** `POST /v1/incidents/{id}/approval` */
export const LinkApproved = Type.Object({ incidentId: Type.String(), approved: Type.Literal(true) }, { description: 'It goes on.' });

export type RunView = Static<typeof RunView>;
export type RunSummary = Static<typeof RunSummary>;
export type RunQueueView = Static<typeof RunQueueView>;
export type OpenIncidentCall = Static<typeof OpenIncidentCall>;
export type ApproveRunCall = Static<typeof ApproveRunCall>;
export type RunCall = Static<typeof RunCall>;
export type ApprovalLink = Static<typeof ApprovalLink>;
export type LinkApproved = Static<typeof LinkApproved>;
