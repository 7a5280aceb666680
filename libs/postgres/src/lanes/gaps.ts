/** The last gap of each transport, as one row. Lanes from 2 on are a broker's partitions. */
export const GAPS = `(
  SELECT coalesce(max(gap_end_ms) FILTER (WHERE lane = 0), 0) AS http_gap_end_ms,
         coalesce(max(gap_end_ms) FILTER (WHERE lane >= 2 AND holds), 0) AS kafka_gap_end_ms
  FROM jobwarden.lanes)`;

export interface GapsRow {
  readonly http_gap_end_ms: number;
  readonly kafka_gap_end_ms: number;
}

export function gapsOf(row: GapsRow): { readonly http: number; readonly kafka: number } {
  return { http: row.http_gap_end_ms, kafka: row.kafka_gap_end_ms };
}
