import type { IncidentStepDraft } from '#libs/domain';
import type { Traces } from '../ports/traces.port.js';
import type { RunOf } from '../saga/carry-out.js';

/** One step of a run, from the look that led to it: a trace of its own, found by the incident's id. */
export function tellStep(traces: Traces, { incidentId, queues, standing }: RunOf, { type }: IncidentStepDraft, since: number): void {
  const [queue] = queues;
  const attributes = {
    ...{ 'messaging.system': 'jobwarden', 'jobwarden.incident.id': incidentId, 'jobwarden.incident.step': type },
    ...{ 'jobwarden.incident.n': standing.n + 1, 'jobwarden.incident.queues': queues.length },
    ...(queue !== undefined && queues.length === 1 && { 'messaging.destination.name': queue.queue, 'jobwarden.namespace': queue.namespace }),
  };
  traces.tell({ name: `incident ${type}`, kind: 'internal', parent: null, attributes }, since);
}
