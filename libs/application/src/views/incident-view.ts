import type { IncidentDetail, IncidentStepView, IncidentView } from '#libs/contracts';
import { foldIncident, type IncidentStep } from '#libs/domain';
import type { IncidentRow, StoredIncident } from '../ports/incident-store.port.js';
import { iso, isoOrNull } from './time.js';

export function incidentView(row: IncidentRow): IncidentView {
  const { id, kind, subject, queue, status, summary, openedMs, resolvedMs } = row;
  return {
    incidentId: id,
    kind,
    subject,
    summary,
    namespace: queue?.namespace ?? null,
    queue: queue?.queue ?? null,
    status,
    openedAt: iso(openedMs),
    resolvedAt: isoOrNull(resolvedMs),
  };
}

export function incidentDetail(incident: StoredIncident): IncidentDetail {
  const { steps, ...row } = incident;
  const standing = foldIncident(steps);
  if (standing === null) throw new Error(`incident ${incident.id} has no steps`);
  return { ...incidentView({ ...row, ...standing }), steps: steps.map(stepView) };
}

function stepView({ n, type, atMs, by, reason, evidence }: IncidentStep): IncidentStepView {
  return { n, type, at: iso(atMs), by, reason, ...(evidence !== undefined && { evidence: { ...evidence } }) };
}
