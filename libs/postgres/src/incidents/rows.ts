import type { IncidentRow, OpenIncident } from '#libs/application';
import type { IncidentStatus, IncidentStep, IncidentStepType } from '#libs/domain';

/** Rows as the statements give them. */
export interface StoredRow {
  readonly id: number;
  readonly kind: string;
  readonly subject: string;
  readonly queue_id: number | null;
  readonly namespace: string | null;
  readonly queue: string | null;
  readonly status: IncidentStatus;
  readonly summary: string;
  readonly opened_ms: number;
  readonly resolved_ms: number | null;
}

export interface ListedRow extends StoredRow {
  readonly cause: string | null;
}

export interface StepRow {
  readonly n: number;
  readonly type: IncidentStepType;
  readonly at_ms: number;
  readonly made_by: string;
  readonly reason: string;
  /** JSON. */
  readonly evidence: string | null;
}

export function openIncidentOf({ id, kind, subject, namespace, queue }: StoredRow): OpenIncident {
  return { id: String(id), kind, subject, queue: namespace === null || queue === null ? null : { namespace, queue } };
}

export function incidentRowOf(row: ListedRow): IncidentRow {
  const { status, summary, opened_ms: openedMs, resolved_ms: resolvedMs, cause } = row;
  return { ...openIncidentOf(row), status, summary, openedMs, resolvedMs, cause };
}

export function stepOf({ n, type, at_ms, made_by, reason, evidence }: StepRow): IncidentStep {
  const parsed = evidence === null ? undefined : (JSON.parse(evidence) as Readonly<Record<string, unknown>>);
  return { n, type, atMs: at_ms, by: made_by, reason, ...(parsed !== undefined && { evidence: parsed }) };
}
