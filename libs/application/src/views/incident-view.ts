import type { IncidentDetail, IncidentStepView, IncidentView, ListedIncident } from '#libs/contracts';
import { foldIncident, type IncidentStep } from '#libs/domain';
import type { IncidentRow, ListedRun, StoredIncident } from '../ports/incident-store.port.js';
import type { RunQueue } from '../ports/run-store.port.js';
import { runSummary, saturationRunView } from './saturation-run-view.js';
import { iso, isoOrNull } from './time.js';

export function incidentView(row: IncidentRow): IncidentView {
  const { id, kind, subject, queue, status, summary, openedMs, resolvedMs, cause } = row;
  return {
    incidentId: id,
    kind,
    subject,
    summary,
    namespace: queue?.namespace ?? null,
    queue: queue?.queue ?? null,
    status,
    cause,
    openedAt: iso(openedMs),
    resolvedAt: isoOrNull(resolvedMs),
  };
}

/** `run`: what the list knows of it; undefined: it has none. */
export function listedIncident(row: IncidentRow, run: ListedRun | undefined): ListedIncident {
  const summary = run === undefined ? null : runSummary(run);
  return { ...incidentView(row), ...(summary !== null && { run: summary }) };
}

/** `queues`: of its run, where it has one. */
export function incidentDetail(incident: StoredIncident, queues: readonly RunQueue[] = []): IncidentDetail {
  const { steps, ...row } = incident;
  const standing = foldIncident(steps);
  if (standing === null) throw new Error(`incident ${incident.id} has no steps`);
  const run = saturationRunView(incident, queues);
  return { ...incidentView({ ...row, ...standing, cause: causeIn(steps) }), steps: steps.map(stepView), ...(run !== null && { run }) };
}

export function stepView({ n, type, atMs, by, reason, evidence }: IncidentStep): IncidentStepView {
  return { n, type, at: iso(atMs), by, reason, ...(evidence !== undefined && { evidence: { ...evidence } }) };
}

function causeIn(steps: readonly IncidentStep[]): string | null {
  const cause = steps.findLast(({ type }) => type === 'cause-assessed')?.evidence?.['cause'];
  return typeof cause === 'string' ? cause : null;
}
