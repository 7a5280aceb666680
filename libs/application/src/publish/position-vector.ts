import { TerminalError } from '../ports/errors.js';

/**
 * How far a stream has been read: a place per shard. Its text is the event id of server-sent events, so a client that
 * sends back the last one it saw (`Last-Event-ID`) goes on behind it, on any replica.
 */
export interface PositionVector {
  /** Of the installation: a restored database gives places out a second time, under another epoch. */
  readonly epoch: number;
  /** By shard. */
  readonly places: readonly number[];
}

/** First byte of the text; another layout takes the next one. */
const VERSION = 1;
const MAX_SHARDS = 1024;

/** base64url of: version, epoch, number of shards, places (varints), two bytes of checksum. */
export function encodeVector({ epoch, places }: PositionVector): string {
  const bytes = [VERSION];
  for (const value of [epoch, places.length, ...places]) pushVarint(bytes, value);
  const sum = checksum(bytes);
  bytes.push(sum >> 8, sum & 0xff);
  return Buffer.from(bytes).toString('base64url');
}

/** Throws TerminalError `stream_id_invalid` for what {@link encodeVector} has not made. */
export function decodeVector(text: string): PositionVector {
  const bytes = Buffer.from(text, 'base64url');
  if (bytes.toString('base64url') !== text) throw invalid('it is not base64url');
  if (bytes.length < 5) throw invalid('it is too short');
  if (bytes[0] !== VERSION) throw invalid(`its version is ${String(bytes[0])}, this program knows ${String(VERSION)}`);
  const body = bytes.subarray(0, -2);
  if (bytes.readUInt16BE(bytes.length - 2) !== checksum(body)) throw invalid('its checksum is wrong');
  const [epoch, count, ...places] = varints(body.subarray(1));
  if (epoch === undefined || count === undefined || count !== places.length || count > MAX_SHARDS) {
    throw invalid('it does not hold one place per shard');
  }
  return { epoch, places };
}

function pushVarint(bytes: number[], value: number): void {
  let rest = value;
  while (rest >= 0x80) {
    bytes.push((rest % 0x80) | 0x80);
    rest = Math.floor(rest / 0x80);
  }
  bytes.push(rest);
}

function varints(bytes: Uint8Array): number[] {
  const values: number[] = [];
  let value = 0;
  let scale = 1;
  for (const byte of bytes) {
    value += (byte & 0x7f) * scale;
    scale *= 0x80;
    if (!Number.isSafeInteger(value)) throw invalid('a number in it is too large');
    if (byte >= 0x80) continue;
    values.push(value);
    value = 0;
    scale = 1;
  }
  if (scale !== 1) throw invalid('it is cut off');
  return values;
}

/** Fletcher's, of 16 bits: against cut and mistyped ids, not against forgers, who could ask without an id anyway. */
function checksum(bytes: Iterable<number>): number {
  let a = 0;
  let b = 0;
  for (const byte of bytes) {
    a = (a + byte) % 255;
    b = (b + a) % 255;
  }
  return b * 256 + a;
}

function invalid(why: string): TerminalError {
  return new TerminalError(
    'stream_id_invalid',
    `this is no event id of a stream: ${why}; leave Last-Event-ID out to read from now on`,
  );
}
