import type { RefusedRevision } from '#libs/application';

export interface RefusalRow {
  readonly refusal_id: number;
  readonly namespace: string;
  readonly queue: string | null;
  readonly revision: string;
  readonly reason: string;
  readonly set_by: string;
  readonly incident_id: number | null;
  readonly set_ms: number;
  readonly version: number;
  readonly lifted_ms: number | null;
  readonly lifted_by: string | null;
  readonly lifted_reason: string | null;
}

export function refusalOf(row: RefusalRow): RefusedRevision {
  const { namespace, queue, revision, reason, set_by: by, set_ms: setMs, version, lifted_ms: ms } = row;
  return {
    ...{ namespace, queue, revision, reason, by, setMs, version },
    id: String(row.refusal_id),
    incidentId: row.incident_id === null ? null : String(row.incident_id),
    lifted: ms === null ? null : { ms, by: row.lifted_by ?? '', reason: row.lifted_reason ?? '' },
  };
}
