import { Type, type Static, type TSchema } from 'typebox';
import { INCIDENT_STEPS, saidByStep } from '#libs/domain';
import { incidentEventType } from '../vocabulary.js';
import { eventOf } from './envelope.js';
import { instant, name, queue, text } from './field.js';

/** Steps of incidents, as they go out. `subject` is the incident's id, `source` `jobwarden`. */

export const incidentFields = {
  kind: text('What is wrong, a stable word: `lane_out_of_range` …; there may be others by now.'),
  subject: text('What of its kind it is about, such as the lane’s name.'),
  summary: text('For people, in one sentence: why it was opened.'),
  openedAt: instant('When it was opened, by the lane’s clock.'),
};

export const stepFields = {
  n: Type.Integer({ minimum: 1, description: 'Number of the step within its incident, without a gap.' }),
  by: name('`jobwarden`, or who did it.'),
  reason: text('For people, in one sentence.'),
  evidence: Type.Optional(Type.Record(Type.String(), Type.Unknown(), { description: 'What was seen, in figures.' })),
};

export const IncidentStepData = Type.Object({
  incidentId: text('Names the incident at `/v1/incidents/{id}`.'),
  ...incidentFields,
  queue: Type.Optional(queue),
  ...stepFields,
});

/** Events that go out for incidents, by event type: one for each type of step. */
export const INCIDENT_EVENTS: Readonly<Record<string, TSchema>> = Object.fromEntries(
  INCIDENT_STEPS.map((step) => [incidentEventType(step), eventOf(incidentEventType(step), IncidentStepData, saidByStep(step))]),
);

export type IncidentStepData = Static<typeof IncidentStepData>;
