import type { Batch, IHeaders } from 'kafkajs';
import type { FeedBatch, FeedRecord } from '#libs/application';

/** On records that Jobwarden writes itself into a quiet partition. */
export const TICK_HEADER = 'jobwarden-tick';

/** A lane's name says where it comes from. */
export function laneName(topic: string, partition: number): string {
  return `kafka/${topic}/${String(partition)}`;
}

/**
 * The library's batch with the offset that was asked for. It stands on every batch and not in the library's types; it is
 * the one sign of a position that the library has changed by itself, since offsets of records may have holes.
 */
export type FetchedBatch = Batch & { readonly fetchedOffset: string };

export function readBatch(batch: Batch): FeedBatch {
  const { topic, partition } = batch;
  return {
    name: laneName(topic, partition),
    topic,
    partition,
    records: batch.messages.map(({ offset, timestamp, key, value, headers }): FeedRecord => {
      const read = readHeaders(headers);
      return {
        offset: Number(offset),
        timeMs: Number(timestamp),
        key: key === null ? null : key.toString('utf8'),
        value,
        headers: read,
        // With a value it is an event, whoever gave it the header: what was acknowledged is never passed over.
        tick: read[TICK_HEADER] !== undefined && (value === null || value.length === 0),
      };
    }),
    next: Number(batch.lastOffset()) + 1,
  };
}

/** No name of a header may reach a prototype. */
function readHeaders(headers: IHeaders | undefined): Readonly<Record<string, string>> {
  const read = Object.create(null) as Record<string, string>;
  for (const [name, value] of Object.entries(headers ?? {})) {
    const last = Array.isArray(value) ? value.at(-1) : value;
    if (last !== undefined) read[name.toLowerCase()] = last.toString();
  }
  return read;
}
