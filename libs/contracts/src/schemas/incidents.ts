import { Type, type Static } from 'typebox';
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

export const IncidentOpenedEvent = eventOf(incidentEventType('opened'), IncidentStepData, 'Somebody has to look at it.');
export const IncidentNotedEvent = eventOf(incidentEventType('noted'), IncidentStepData, 'There is more to know of it.');
export const IncidentResolvedEvent = eventOf(incidentEventType('resolved'), IncidentStepData, 'It is over.');

export type IncidentStepData = Static<typeof IncidentStepData>;
export type IncidentOpenedEvent = Static<typeof IncidentOpenedEvent>;
export type IncidentNotedEvent = Static<typeof IncidentNotedEvent>;
export type IncidentResolvedEvent = Static<typeof IncidentResolvedEvent>;
