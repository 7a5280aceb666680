import { TerminalError } from '../ports/errors.js';

/** Of one comparison. Over them a line is told and left out; the list as a whole is refused. */
export interface ListLimits {
  readonly lineBytes: number;
  readonly lines: number;
  readonly bytes: number;
}

export const LIST_LIMITS: ListLimits = { lineBytes: 65_536, lines: 1_000_000, bytes: 256 * 1_048_576 };

/** `text`: what the line holds; null: it is over its limit, and nothing of it was kept. */
export interface RawLine {
  readonly line: number;
  readonly bytes: Buffer | null;
}

/**
 * Cuts what arrives into lines, counted from 1; empty ones count and are left out. Holds one chunk and one line, however
 * long the list is. Throws TerminalError `list_too_large`.
 */
export async function* linesOf(chunks: AsyncIterable<Uint8Array>, limits: ListLimits): AsyncGenerator<RawLine> {
  const open = new OpenLine(limits.lineBytes);
  let [line, total] = [0, 0];
  const ended = (): RawLine => {
    line += 1;
    if (line > limits.lines) throw tooLarge(`over ${String(limits.lines)} lines`);
    return { line, bytes: open.take() };
  };
  for await (const part of chunks) {
    const chunk = Buffer.from(part.buffer, part.byteOffset, part.byteLength);
    total += chunk.length;
    if (total > limits.bytes) throw tooLarge(`over ${String(limits.bytes)} bytes`);
    let from = 0;
    for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, from)) {
      open.add(chunk.subarray(from, at));
      const found = ended();
      if (found.bytes === null || !isBlank(found.bytes)) yield found;
      from = at + 1;
    }
    open.add(chunk.subarray(from));
  }
  if (open.empty) return;
  const last = ended();
  if (last.bytes === null || !isBlank(last.bytes)) yield last;
}

class OpenLine {
  private parts: Buffer[] = [];
  private size = 0;

  constructor(private readonly limit: number) {}

  get empty(): boolean {
    return this.size === 0;
  }

  add(part: Buffer): void {
    this.size += part.length;
    if (this.size > this.limit) this.parts = [];
    else if (part.length > 0) this.parts.push(part);
  }

  take(): Buffer | null {
    const [first, ...rest] = this.parts;
    const taken = this.size > this.limit ? null : rest.length === 0 ? (first ?? Buffer.alloc(0)) : Buffer.concat(this.parts);
    this.parts = [];
    this.size = 0;
    return taken;
  }
}

function isBlank(bytes: Buffer): boolean {
  return bytes.every((byte) => byte === 0x20 || byte === 0x0d || byte === 0x09);
}

function tooLarge(found: string): TerminalError {
  return new TerminalError('list_too_large', `The list has ${found}: compare it queue by queue.`);
}
