import type { InvalidationData, InvalidationView } from '#libs/contracts';
import type { InvalidationRow } from '../ports/read-models.port.js';
import { iso } from './time.js';

export function invalidationView(row: InvalidationRow): InvalidationView {
  const { data } = JSON.parse(row.message) as { data: InvalidationData };
  return {
    position: row.position,
    at: iso(row.laneMs),
    sentAt: row.outcome === 'sent' ? iso(row.sentMs) : null,
    namespace: row.ref.namespace,
    queue: row.ref.queue,
    jobId: row.ref.id,
    attempt: data.attempt,
    cause: data.cause,
    keys: data.keys,
    tags: data.tags,
  };
}
