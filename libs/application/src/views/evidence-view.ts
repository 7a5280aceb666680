import type { EvidenceView } from '#libs/contracts';
import type { StoredEvidence } from '../ports/evidence-store.port.js';
import { iso, isoOrNull } from './time.js';

export function evidenceView({ id, incidentId, namespace, revision, worker, askedMs, endedMs, outcome, parts, erased }: StoredEvidence): EvidenceView {
  return {
    ...{ id, incident: incidentId, namespace, revision, worker, outcome },
    askedAt: iso(askedMs),
    endedAt: isoOrNull(endedMs),
    parts: parts.map((part) => ({ ...part })),
    erased: erased === null ? null : { at: iso(erased.ms), by: erased.by, reason: erased.reason },
  };
}
