import { Type, type Static } from 'typebox';
import { INCIDENT_STATUSES, INCIDENT_STEPS } from '#libs/domain';
import { count, instant, nullable, oneOf, whyKept } from '../schemas/field.js';
import { incidentFields, stepFields } from '../schemas/incidents.js';
import { DELIVERY_STATES, WEBHOOK_FORMATS } from '../vocabulary.js';
import { listOf } from './problem.js';
import { RunSummary, RunView } from './runs.js';

/** `GET /v1/incidents`, `GET /v1/incidents/{id}`, `POST /v1/incidents/{id}/resolve` */

const view = {
  incidentId: Type.String(),
  ...incidentFields,
  namespace: nullable(Type.String(), { description: 'null = it is about the whole installation.' }),
  queue: nullable(Type.String(), { description: 'null = it is about no single queue.' }),
  status: oneOf(INCIDENT_STATUSES, { description: 'How it stands.' }),
  cause: nullable(Type.String(), { description: 'What it comes from, as it was assessed last, such as `bad_revision`; null = it was not.' }),
  resolvedAt: nullable(instant('When it was resolved, by the lane’s clock; null = it is open.')),
};

export const IncidentView = Type.Object(view, { description: 'Something that a person has to look at.' });

export const ListedIncident = Type.Object({ ...view, run: Type.Optional(RunSummary) }, { description: 'An incident in a list, with where its run stands.' });

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

/** `GET /v1/incidents/{id}/deliveries` */
export const IncidentDeliveryView = Type.Object(
  {
    n: Type.Integer({ minimum: 1, description: 'Number of the step.' }),
    type: Type.String({ description: 'Type of the step.' }),
    host: nullable(Type.String(), { description: 'Of the webhook; null = its address is secret.' }),
    format: oneOf(WEBHOOK_FORMATS, { description: 'In whose words it goes out.' }),
    state: oneOf(DELIVERY_STATES, {
      description: '`delivered`: acknowledged. `refused`: it is tried again. `parked`: given up. `unsent`: not out yet, or kept no more.',
    }),
    tries: count('So far, while it is not delivered.'),
    lastError: nullable(Type.String(), { description: 'What the last try met.' }),
  },
  { description: 'A step of an incident at one webhook.' },
);

/** `POST /v1/incidents/{id}/resolve` */
export const IncidentCall = Type.Object({ reason: whyKept('Why; kept with the step.') });

export const IncidentList = listOf(ListedIncident, 'Incidents, newest first.');
export const IncidentDeliveryList = listOf(IncidentDeliveryView, 'By step.');
export type IncidentDeliveryView = Static<typeof IncidentDeliveryView>;
export type IncidentDeliveryList = Static<typeof IncidentDeliveryList>;
export type IncidentView = Static<typeof IncidentView>;
export type ListedIncident = Static<typeof ListedIncident>;
export type IncidentStepView = Static<typeof IncidentStepView>;
export type IncidentDetail = Static<typeof IncidentDetail>;
export type IncidentCall = Static<typeof IncidentCall>;
export type IncidentList = Static<typeof IncidentList>;
