import { Type, type Static } from 'typebox';
import { INCIDENT_STATUSES, INCIDENT_STEPS } from '#libs/domain';
import { instant, nullable, oneOf, whyKept } from '../schemas/field.js';
import { incidentFields, stepFields } from '../schemas/incidents.js';
import { listOf } from './problem.js';
import { RunView } from './runs.js';

/** `GET /v1/incidents`, `GET /v1/incidents/{id}`, `POST /v1/incidents/{id}/resolve` */

const view = {
  incidentId: Type.String(),
  ...incidentFields,
  namespace: nullable(Type.String(), { description: 'null = it is about the whole installation.' }),
  queue: nullable(Type.String(), { description: 'null = it is about no single queue.' }),
  status: oneOf(INCIDENT_STATUSES, { description: 'How it stands.' }),
  resolvedAt: nullable(instant('When it was resolved, by the lane’s clock; null = it is open.')),
};

export const IncidentView = Type.Object(view, { description: 'Something that a person has to look at.' });

export const IncidentStepView = Type.Object(
  {
    type: oneOf(INCIDENT_STEPS, { description: 'What it did to the incident.' }),
    at: instant('When, by the lane’s clock.'),
    ...stepFields,
  },
  { description: 'One step of an incident.' },
);

export const IncidentDetail = Type.Object(
  {
    ...view,
    steps: Type.Array(IncidentStepView, { description: 'All of its steps, oldest first.' }),
    run: Type.Optional(RunView),
  },
  { description: 'An incident with its steps.' },
);

/** `POST /v1/incidents/{id}/resolve` */
export const IncidentCall = Type.Object({ reason: whyKept('Why; kept with the step.') });

export const IncidentList = listOf(IncidentView, 'Incidents, newest first.');
export type IncidentView = Static<typeof IncidentView>;
export type IncidentStepView = Static<typeof IncidentStepView>;
export type IncidentDetail = Static<typeof IncidentDetail>;
export type IncidentCall = Static<typeof IncidentCall>;
export type IncidentList = Static<typeof IncidentList>;
