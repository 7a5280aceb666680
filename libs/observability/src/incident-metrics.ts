import { CAUSES, GATE_VERDICTS, INCIDENT_KINDS } from '#libs/domain';
import { counter, gauge } from './metric-spec.js';

/** Of incidents: how many, why, and what they are about. */
export const INCIDENTS = {
  incidentsOpened: counter('jobwarden_incidents_opened_total', 'Incidents that were opened, by kind.', 'incidents', { kind: INCIDENT_KINDS }),
  incidentsResolved: counter('jobwarden_incidents_resolved_total', 'Incidents that were resolved, by kind.', 'incidents', { kind: INCIDENT_KINDS }),
  incidentCauses: gauge(
    'jobwarden_incident_causes',
    'Incidents of saturation that are open, by the cause that was found; `unassessed`: none yet. Exported by one replica.',
    'incidents',
    { labels: { cause: [...CAUSES, 'unassessed'] }, merge: 'sum' },
  ),
  queueIncidents: gauge(
    'jobwarden_queue_incidents_open',
    'Open incidents that are about the queue, or whose run is. Absent where there is none. Exported by one replica.',
    'incidents',
    { labels: { queue: 'queue', kind: INCIDENT_KINDS }, merge: 'sum' },
  ),
  gateVerdict: gauge(
    'jobwarden_gate_verdict',
    'What the canary gate answered last to whoever asked this replica within the last hour: 1 of the verdict, 0 of the others. `target`: the target, or namespace/queue.',
    'answers',
    { labels: { target: { atMost: 100 }, verdict: GATE_VERDICTS }, merge: 'max' },
  ),
  evidenceKept: gauge(
    'jobwarden_evidence_kept_bytes',
    'What is kept of bad workers: reports and heap snapshots. Exported by one replica.',
    'bytes',
    { labels: {}, merge: 'sum' },
  ),
} as const;
