/**
 * Array parameters for `unnest` in PostgreSQL's binary form, so that the server copies bytes instead of parsing text.
 * The element type is part of that form and has to be the parameter's own: `$1::smallint[]` takes {@link int2s} only.
 *
 * Each takes rows and the column wanted of them: a batch has a dozen columns, and an array of each would be garbage.
 */
const OID = { bytea: 17, int8: 20, int2: 21, int4: 23, text: 25, tid: 27 } as const;

const HEADER = 20;
const NULL_LENGTH = -1;

type Column<R, T> = (row: R) => T | null;

export function int2s<R>(rows: readonly R[], column: Column<R, number>): Buffer {
  return fixed(OID.int2, 2, rows, column, (buffer, at, value) => buffer.writeInt16BE(value, at));
}

export function int4s<R>(rows: readonly R[], column: Column<R, number>): Buffer {
  return fixed(OID.int4, 4, rows, column, (buffer, at, value) => buffer.writeInt32BE(value, at));
}

export function int8s<R>(rows: readonly R[], column: Column<R, number>): Buffer {
  return fixed(OID.int8, 8, rows, column, writeInt8);
}

/** bytea[] of 16-byte keys, from their hex. */
export function keys<R>(rows: readonly R[], column: Column<R, string>): Buffer {
  return fixed(OID.bytea, 16, rows, column, (buffer, at, value) => buffer.write(value, at, 16, 'hex'));
}

/** tid[] from the server's text, `(block,offset)`. */
export function tids<R>(rows: readonly R[], column: Column<R, string>): Buffer {
  return fixed(OID.tid, 6, rows, column, (buffer, at, value) => {
    const comma = value.indexOf(',');
    buffer.writeUInt32BE(Number(value.slice(1, comma)), at);
    buffer.writeUInt16BE(Number(value.slice(comma + 1, -1)), at + 4);
  });
}

/** bytea[] of any bytes. */
export function bytes<R>(rows: readonly R[], column: Column<R, Uint8Array>): Buffer {
  let size = HEADER + 4 * rows.length;
  for (const row of rows) size += column(row)?.length ?? 0;
  const buffer = Buffer.allocUnsafe(size);
  let at = HEADER;
  let nulls = false;
  for (const row of rows) {
    const value = column(row);
    at = buffer.writeInt32BE(value?.length ?? NULL_LENGTH, at);
    if (value === null) nulls = true;
    else {
      buffer.set(value, at);
      at += value.length;
    }
  }
  return headed(buffer, OID.bytea, rows.length, nulls);
}

export function texts<R>(rows: readonly R[], column: Column<R, string>): Buffer {
  let buffer: Buffer = Buffer.allocUnsafe(HEADER + 64 * rows.length);
  let at = HEADER;
  let nulls = false;
  for (const row of rows) {
    const value = column(row);
    // UTF-8 takes at most three bytes for a UTF-16 unit.
    buffer = withRoom(buffer, at, 4 + 3 * (value?.length ?? 0));
    const length = value === null ? NULL_LENGTH : buffer.write(value, at + 4, 'utf8');
    if (value === null) nulls = true;
    at = buffer.writeInt32BE(length, at) + Math.max(length, 0);
  }
  return headed(buffer.subarray(0, at), OID.text, rows.length, nulls);
}

function fixed<R, T>(
  oid: number,
  width: number,
  rows: readonly R[],
  column: Column<R, T>,
  write: (buffer: Buffer, at: number, value: T) => unknown,
): Buffer {
  const buffer = Buffer.allocUnsafe(HEADER + rows.length * (4 + width));
  let at = HEADER;
  let nulls = false;
  for (const row of rows) {
    const value = column(row);
    at = buffer.writeInt32BE(value === null ? NULL_LENGTH : width, at);
    if (value === null) nulls = true;
    else {
      write(buffer, at, value);
      at += width;
    }
  }
  return headed(buffer.subarray(0, at), oid, rows.length, nulls);
}

/** One dimension, lower bound 1. */
function headed(buffer: Buffer, oid: number, count: number, nulls: boolean): Buffer {
  buffer.writeInt32BE(1, 0);
  buffer.writeInt32BE(nulls ? 1 : 0, 4);
  buffer.writeUInt32BE(oid, 8);
  buffer.writeInt32BE(count, 12);
  buffer.writeInt32BE(1, 16);
  return buffer;
}

/** `buffer`, or a larger copy where it has not `wanted` bytes left behind the first `used`. */
export function withRoom(buffer: Buffer, used: number, wanted: number): Buffer {
  if (used + wanted <= buffer.length) return buffer;
  const larger = Buffer.allocUnsafe(2 * (used + wanted));
  buffer.copy(larger, 0, 0, used);
  return larger;
}

const TWO_32 = 2 ** 32;

/** Whole numbers up to 2⁵³, negative ones too. */
export function writeInt8(buffer: Buffer, at: number, value: number): void {
  const high = Math.floor(value / TWO_32);
  buffer.writeInt32BE(high, at);
  buffer.writeUInt32BE(value - high * TWO_32, at + 4);
}
