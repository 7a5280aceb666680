/**
 * Array parameters for `unnest` in PostgreSQL's binary form, so that the server copies bytes instead of parsing text.
 * The element type is part of that form and has to be the parameter's own: `$1::smallint[]` takes {@link int2s} only.
 */
const OID = { bytea: 17, int8: 20, int2: 21, int4: 23, text: 25, tid: 27 } as const;

const HEADER = 20;
const NULL_LENGTH = -1;

export function int2s(values: readonly (number | null)[]): Buffer {
  return fixed(OID.int2, 2, values, (buffer, at, value) => buffer.writeInt16BE(value, at));
}

export function int4s(values: readonly (number | null)[]): Buffer {
  return fixed(OID.int4, 4, values, (buffer, at, value) => buffer.writeInt32BE(value, at));
}

export function int8s(values: readonly (number | null)[]): Buffer {
  return fixed(OID.int8, 8, values, writeInt8);
}

/** bytea[] of 16-byte keys, from their hex. */
export function keys(values: readonly (string | null)[]): Buffer {
  return fixed(OID.bytea, 16, values, (buffer, at, value) => buffer.write(value, at, 16, 'hex'));
}

/** tid[] from the server's text, `(block,offset)`. */
export function tids(values: readonly string[]): Buffer {
  return fixed(OID.tid, 6, values, (buffer, at, value) => {
    const comma = value.indexOf(',');
    buffer.writeUInt32BE(Number(value.slice(1, comma)), at);
    buffer.writeUInt16BE(Number(value.slice(comma + 1, -1)), at + 4);
  });
}

/** bytea[] of any bytes. */
export function bytes(values: readonly (Uint8Array | null)[]): Buffer {
  let size = HEADER + 4 * values.length;
  for (const value of values) size += value?.length ?? 0;
  const buffer = Buffer.allocUnsafe(size);
  let at = HEADER;
  for (const value of values) {
    at = buffer.writeInt32BE(value?.length ?? NULL_LENGTH, at);
    if (value === null) continue;
    buffer.set(value, at);
    at += value.length;
  }
  return headed(buffer, OID.bytea, values);
}

export function texts(values: readonly (string | null)[]): Buffer {
  let room = HEADER + 4 * values.length;
  // UTF-8 takes at most three bytes for a UTF-16 unit.
  for (const value of values) room += 3 * (value?.length ?? 0);
  const buffer = Buffer.allocUnsafe(room);
  let at = HEADER;
  for (const value of values) {
    const length = value === null ? NULL_LENGTH : buffer.write(value, at + 4, 'utf8');
    at = buffer.writeInt32BE(length, at) + Math.max(length, 0);
  }
  return headed(buffer.subarray(0, at), OID.text, values);
}

function fixed<T>(
  oid: number,
  width: number,
  values: readonly (T | null)[],
  write: (buffer: Buffer, at: number, value: T) => unknown,
): Buffer {
  const buffer = Buffer.allocUnsafe(HEADER + values.length * (4 + width));
  let at = HEADER;
  for (const value of values) {
    at = buffer.writeInt32BE(value === null ? NULL_LENGTH : width, at);
    if (value === null) continue;
    write(buffer, at, value);
    at += width;
  }
  return headed(buffer.subarray(0, at), oid, values);
}

/** One dimension, lower bound 1. */
function headed(buffer: Buffer, oid: number, values: readonly unknown[]): Buffer {
  buffer.writeInt32BE(1, 0);
  buffer.writeInt32BE(values.includes(null) ? 1 : 0, 4);
  buffer.writeUInt32BE(oid, 8);
  buffer.writeInt32BE(values.length, 12);
  buffer.writeInt32BE(1, 16);
  return buffer;
}

const TWO_32 = 2 ** 32;

/** Whole numbers up to 2⁵³, negative ones too. */
export function writeInt8(buffer: Buffer, at: number, value: number): void {
  const high = Math.floor(value / TWO_32);
  buffer.writeInt32BE(high, at);
  buffer.writeUInt32BE(value - high * TWO_32, at + 4);
}
