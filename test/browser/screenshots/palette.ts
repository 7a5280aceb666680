import { crc32, deflateSync, inflateSync } from 'node:zlib';

/** A picture of pages has few colours: one byte for each dot instead of three makes the file less than half as large. */
const COLOURS = 256;
const SIGNATURE = Buffer.from([137, 80, 78, 71, 13, 10, 26, 10]);

/** The same PNG with a palette of its most frequent colours; what is left over takes the nearest. Takes what browsers write: 8 bits, not interlaced, without gaps. */
export function withPalette(png: Buffer): Buffer {
  const { width, height, channels, data } = chunksOf(png);
  const dots = unfiltered(inflateSync(data), { width, height, channels });
  const counts = new Map<number, number>();
  for (const colour of dots) counts.set(colour, (counts.get(colour) ?? 0) + 1);
  const palette = [...counts].sort(([, a], [, b]) => b - a).slice(0, COLOURS).map(([colour]) => colour);
  const places = new Map([...counts.keys()].map((colour) => [colour, nearest(palette, colour)]));
  const rows = Buffer.alloc(height * (width + 1));
  dots.forEach((colour, i) => {
    rows[Math.floor(i / width) * (width + 1) + 1 + (i % width)] = places.get(colour) ?? 0;
  });
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 3, 0, 0, 0], 8);
  const colours = Buffer.from(palette.flatMap((colour) => [colour >> 16, (colour >> 8) & 255, colour & 255]));
  return Buffer.concat([SIGNATURE, chunk('IHDR', header), chunk('PLTE', colours), chunk('IDAT', deflateSync(rows, { level: 9 })), chunk('IEND', Buffer.alloc(0))]);
}

interface Size {
  readonly width: number;
  readonly height: number;
  /** Bytes of a dot: 3, or 4 with one for how much shines through. */
  readonly channels: number;
}

function chunksOf(png: Buffer): Size & { readonly data: Buffer } {
  const [bits, kind, , , interlaced] = png.subarray(24, 29);
  if (bits !== 8 || (kind !== 2 && kind !== 6) || interlaced !== 0) throw new Error('not a PNG as browsers write them');
  const parts: Buffer[] = [];
  for (let at = 8; at < png.length; at += 12 + png.readUInt32BE(at)) {
    if (png.toString('latin1', at + 4, at + 8) === 'IDAT') parts.push(png.subarray(at + 8, at + 8 + png.readUInt32BE(at)));
  }
  return { width: png.readUInt32BE(16), height: png.readUInt32BE(20), channels: kind === 2 ? 3 : 4, data: Buffer.concat(parts) };
}

/** Each row begins with how it was made from its neighbours to the left and above. */
function unfiltered(raw: Buffer, { width, height, channels }: Size): number[] {
  const length = width * channels;
  const dots: number[] = [];
  let above = Buffer.alloc(length);
  for (let y = 0; y < height; y += 1) {
    const filter = raw[y * (length + 1)] ?? 0;
    const row = Buffer.from(raw.subarray(y * (length + 1) + 1, (y + 1) * (length + 1)));
    for (let x = 0; x < length; x += 1) {
      const [left, up, corner] = [x < channels ? 0 : (row[x - channels] ?? 0), above[x] ?? 0, x < channels ? 0 : (above[x - channels] ?? 0)];
      row[x] = (row[x] ?? 0) + ([0, left, up, (left + up) >> 1, paeth(left, up, corner)][filter] ?? 0);
    }
    for (let x = 0; x < length; x += channels) dots.push(row.readUIntBE(x, 3));
    above = row;
  }
  return dots;
}

function paeth(left: number, up: number, corner: number): number {
  const [a, b, c] = [Math.abs(up - corner), Math.abs(left - corner), Math.abs(left + up - 2 * corner)];
  return a <= b && a <= c ? left : b <= c ? up : corner;
}

function nearest(palette: readonly number[], colour: number): number {
  let [best, least] = [0, Infinity];
  palette.forEach((one, i) => {
    const distance = [16, 8, 0].reduce((sum, shift) => sum + (((one >> shift) & 255) - ((colour >> shift) & 255)) ** 2, 0);
    if (distance < least) [best, least] = [i, distance];
  });
  return best;
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  sum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, sum]);
}
