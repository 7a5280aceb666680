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
  return fixed(OID.int2, 2, rows, column, setInt2);
}

export function int4s<R>(rows: readonly R[], column: Column<R, number>): Buffer {
  return fixed(OID.int4, 4, rows, column, setInt4);
}

export function int8s<R>(rows: readonly R[], column: Column<R, number>): Buffer {
  return fixed(OID.int8, 8, rows, column, setInt8);
}

/** bytea[] of 16-byte keys, from their hex. */
export function keys<R>(rows: readonly R[], column: Column<R, string>): Buffer {
  return fixed(OID.bytea, 16, rows, column, (_view, at, value, buffer) => buffer.write(value, at, 16, 'hex'));
}

/** tid[] from the server's text, `(block,offset)`. */
export function tids<R>(rows: readonly R[], column: Column<R, string>): Buffer {
  return fixed(OID.tid, 6, rows, column, (view, at, value) => {
    const comma = value.indexOf(',');
    view.setUint32(at, Number(value.slice(1, comma)));
    view.setUint16(at + 4, Number(value.slice(comma + 1, -1)));
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
  set: (view: DataView, at: number, value: T, buffer: Buffer) => unknown,
): Buffer {
  const buffer = Buffer.allocUnsafe(HEADER + rows.length * (4 + width));
  const view = viewOf(buffer);
  let at = HEADER;
  let nulls = false;
  for (const row of rows) {
    const value = column(row);
    view.setInt32(at, value === null ? NULL_LENGTH : width);
    at += 4;
    if (value === null) nulls = true;
    else {
      set(view, at, value, buffer);
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

/** The same bytes: numbers are set through it several times as fast as by the buffer's own methods. */
export function viewOf(buffer: Buffer): DataView {
  return new DataView(buffer.buffer, buffer.byteOffset, buffer.byteLength);
}

function setInt2(view: DataView, at: number, value: number): void {
  view.setInt16(at, value);
}

function setInt4(view: DataView, at: number, value: number): void {
  view.setInt32(at, value);
}

const TWO_32 = 2 ** 32;

/** Whole numbers up to 2⁵³, negative ones too. */
export function setInt8(view: DataView, at: number, value: number): void {
  const high = Math.floor(value / TWO_32);
  view.setInt32(at, high);
  view.setUint32(at + 4, value - high * TWO_32);
}
