import { jobEventType, type FactKind, type TimelineEvent } from '#libs/contracts';
import { eventTypeOf, type DecisionKind, type JobRef } from '#libs/domain';
import { shownData } from '../log/event-record.js';
import type { TimelineRow } from '../ports/read-models.port.js';
import { iso } from './time.js';

/** One entry of a job's stream, as the CloudEvent that it came as, or would have. */
export function timelineEvent(ref: JobRef, row: TimelineRow): TimelineEvent {
  const record = { type: row.type, n: row.n, source: row.source, id: row.id, laneMs: row.laneMs, data: row.data };
  const type = eventTypeOf(row.type);
  const envelope = type?.kind === 'fact' ? envelopeOf(row.data) : {};
  const { seenMs, dueMs, ...data } = shownData(record);
  return {
    position: row.position,
    at: iso(row.laneMs),
    lane: row.lane,
    specversion: '1.0',
    id: row.id,
    source: row.source,
    subject: ref.id,
    // A code of a newer program: shown as it is, so that an older one can still be asked during an update.
    type:
      type === undefined
        ? `jobwarden.job.code-${String(row.type)}.v1`
        : jobEventType(type.type as FactKind | DecisionKind),
    ...envelope,
    namespace: ref.namespace,
    data: {
      queue: ref.queue,
      ...(row.n !== null && { n: row.n }),
      ...data,
      ...(typeof seenMs === 'number' && { seenAt: iso(seenMs) }),
      ...(typeof dueMs === 'number' && { dueAt: iso(dueMs) }),
    },
  };
}

function envelopeOf(data: string): { time?: string; traceparent?: string; tracestate?: string } {
  const { t, p, s } = JSON.parse(data) as { t?: number; p?: string; s?: string };
  return { ...(t !== undefined && { time: iso(t) }), ...(p !== undefined && { traceparent: p }), ...(s !== undefined && { tracestate: s }) };
}
