import type { JobFact } from '@jobwarden/client';
import type { EachMessagePayload } from 'kafkajs';
import type { RecordRun } from './record-run.js';

/**
 * Tells `queued` of a record when it is handled first, since plain Kafka has nobody else who knows its offset. Id and content
 * come from the record alone, so that told again, by whichever consumer, it is a duplicate.
 */
export class Queued {
  /** By partition, as each is handled in its order. */
  private readonly last = new Map<string, string>();

  constructor(private readonly tell: (fact: JobFact) => void) {}

  note({ queue, id, putBack, spec }: RecordRun, { topic, partition, message }: EachMessagePayload): void {
    const place = `${topic}-${String(partition)}`;
    if (putBack || this.last.get(place) === id) return;
    this.last.set(place, id);
    const { payload, traceparent, tracestate } = spec;
    const what = payload === undefined ? { payloadRef: `kafka:${topic}/${String(partition)}/${message.offset}` } : { payload };
    this.tell({ type: 'queued', id: 'queued', queue, jobId: id, data: what, ...(traceparent !== undefined && { traceparent }), ...(tracestate !== undefined && { tracestate }) });
  }
}
