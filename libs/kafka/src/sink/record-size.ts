/** What goes into a topic. */
export interface KafkaRecord {
  readonly topic: string;
  readonly key: Buffer;
  readonly value: Buffer;
  readonly headers: Readonly<Record<string, string>>;
}

/** What a batch of records costs besides them (format v2). The broker's limit is on the batch, not on a record. */
const BATCH_BYTES = 61;
/** Attributes, and a time that is that of the whole batch. */
const FIXED_BYTES = 2;

/** Bytes of the record alone in a batch, without compression: what the broker compares with `max.message.bytes`. */
export function aloneBytes(record: KafkaRecord): number {
  return BATCH_BYTES + bytesAt(record, 0);
}

/** In the order given, as few lists as possible of which each is at most `limit` as one batch, or has one record. */
export function batches<T extends KafkaRecord>(records: readonly T[], limit: number): T[][] {
  const all: T[][] = [];
  let bytes = Infinity;
  for (const record of records) {
    const last = all.at(-1);
    const more = bytesAt(record, last?.length ?? 0);
    if (last !== undefined && bytes + more <= limit) {
      last.push(record);
      bytes += more;
    } else {
      all.push([record]);
      bytes = aloneBytes(record);
    }
  }
  return all;
}

function bytesAt({ key, value, headers }: KafkaRecord, place: number): number {
  const named = Object.entries(headers);
  const ofHeaders = named.reduce((sum, [name, text]) => sum + sized(Buffer.byteLength(name)) + sized(Buffer.byteLength(text)), 0);
  return sized(FIXED_BYTES + varint(place) + sized(key.length) + sized(value.length) + varint(named.length) + ofHeaders);
}

/** With its length before it. */
function sized(bytes: number): number {
  return varint(bytes) + bytes;
}

/** Bytes of a number that is not negative, seven bits of its double in each. */
function varint(value: number): number {
  let bytes = 1;
  for (let rest = Math.floor((value * 2) / 128); rest > 0; rest = Math.floor(rest / 128)) bytes++;
  return bytes;
}
