import type { Signal, SignalRow } from '#libs/application';
import type { SignalSource } from '#libs/domain';

export interface StoredSignal {
  readonly id: number;
  readonly source: SignalSource;
  readonly fingerprint: string;
  readonly starts_ms: number | null;
  readonly namespace: string | null;
  readonly queue: string | null;
  /** JSON. */
  readonly figures: string;
  readonly seen_ms: number;
  readonly last_ms: number;
  readonly times: number;
  readonly resolved_ms: number | null;
  readonly incident_id: number | null;
  readonly settled: string | null;
  readonly settled_until_ms: number | null;
  readonly detail: string | null;
}

export function signalRowOf(row: StoredSignal): SignalRow {
  const { source, fingerprint, namespace, queue, settled, detail, times } = row;
  return {
    id: String(row.id),
    ...{ source, fingerprint, namespace, queue, settled, detail, times },
    ...{ startsMs: row.starts_ms, seenMs: row.seen_ms, lastMs: row.last_ms, resolvedMs: row.resolved_ms },
    figures: JSON.parse(row.figures) as Record<string, number>,
    incidentId: row.incident_id === null ? null : String(row.incident_id),
  };
}

/** One that could be acted on: what is refused never gets so far. */
export function signalOf(row: StoredSignal): Signal {
  const { id, source, fingerprint, namespace, queue, startsMs, seenMs, resolvedMs, figures, incidentId, settled } = signalRowOf(row);
  return {
    ...{ id, source, fingerprint, seenMs, resolvedMs, figures, incidentId, settled },
    namespace: namespace ?? '',
    queue: queue ?? '',
    startsMs: startsMs ?? seenMs,
  };
}
