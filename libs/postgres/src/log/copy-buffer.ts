import { setInt8, viewOf, withRoom } from './binary-arrays.js';

const SIGNATURE = Buffer.from('PGCOPY\n\xff\r\n\0\0\0\0\0\0\0\0\0', 'latin1');
const TRAILER = -1;
const NULL_LENGTH = -1;

/** Rows in COPY's binary form, written field by field in the order of the statement's columns. */
export class CopyBuffer {
  private buffer: Buffer = Buffer.allocUnsafe(1 << 16);
  private view = viewOf(this.buffer);
  private end = SIGNATURE.copy(this.buffer);

  /** `most`: bytes that the row takes at most, with four for the length of each field. */
  row(columns: number, most: number): void {
    this.makeRoom(4 + most);
    this.view.setInt16(this.end, columns);
    this.end += 2;
  }

  /** All rows, ready to be sent. */
  finished(): Buffer {
    this.makeRoom(2);
    this.view.setInt16(this.end, TRAILER);
    this.end += 2;
    return this.buffer.subarray(0, this.end);
  }

  boolean(value: boolean): void {
    this.length(1);
    this.view.setUint8(this.end, value ? 1 : 0);
    this.end += 1;
  }

  int2(value: number): void {
    this.length(2);
    this.view.setInt16(this.end, value);
    this.end += 2;
  }

  int4(value: number | null): void {
    if (value === null) {
      this.length(NULL_LENGTH);
      return;
    }
    this.length(4);
    this.view.setInt32(this.end, value);
    this.end += 4;
  }

  /** Answers where the value lies, for who has to set it later. */
  int8(value: number | null): number {
    if (value === null) {
      this.length(NULL_LENGTH);
      return this.end;
    }
    this.length(8);
    setInt8(this.view, this.end, value);
    this.end += 8;
    return this.end - 8;
  }

  /** 16 bytes, from their hex. */
  key(hex: string): void {
    this.length(16);
    this.end += this.buffer.write(hex, this.end, 16, 'hex');
  }

  bytea(value: Uint8Array | null): void {
    this.length(value?.length ?? NULL_LENGTH);
    if (value === null) return;
    this.buffer.set(value, this.end);
    this.end += value.length;
  }

  text(value: string | null): void {
    if (value === null) {
      this.length(NULL_LENGTH);
      return;
    }
    const length = this.buffer.write(value, this.end + 4, 'utf8');
    this.length(length);
    this.end += length;
  }

  private length(bytes: number): void {
    this.view.setInt32(this.end, bytes);
    this.end += 4;
  }

  private makeRoom(bytes: number): void {
    const { buffer } = this;
    this.buffer = withRoom(buffer, this.end, bytes);
    if (this.buffer !== buffer) this.view = viewOf(this.buffer);
  }
}
