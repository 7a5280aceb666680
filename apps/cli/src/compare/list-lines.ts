import { createReadStream } from 'node:fs';
import { Readable } from 'node:stream';
import { csvRecords } from '../csv/records.js';

export const LIST_FORMATS = ['ndjson', 'csv'] as const;
export type ListFormat = (typeof LIST_FORMATS)[number];

/** What is read, and how far: bytes of the file as it lies there. */
export interface ListSource {
  readonly chunks: AsyncIterable<Uint8Array>;
  /** null: nobody knows how long it is. */
  readonly bytes: number | null;
  readonly read: () => number;
}

/** Where nobody says it. Standard input has no name, and is NDJSON. */
export function formatOf(file: string): ListFormat {
  return file.toLowerCase().endsWith('.csv') ? 'csv' : 'ndjson';
}

/** `file` or, for `-`, standard input. */
export function openList(file: string, format: ListFormat, bytes: number | null): ListSource {
  let read = 0;
  const input: Readable = file === '-' ? process.stdin : createReadStream(file);
  async function* counted(): AsyncGenerator<Uint8Array> {
    for await (const chunk of input as AsyncIterable<Uint8Array>) {
      read += chunk.length;
      yield chunk;
    }
  }
  return { chunks: format === 'csv' ? csvAsLines(counted()) : counted(), bytes, read: () => read };
}

/**
 * A CSV as the lines that the service takes. Empty lines stand for the header and for records that go over several
 * lines, so that a line's number there is the file's here. A record that is broken goes along as it is not: as text
 * that is no JSON, which the service tells with its number.
 */
export async function* csvAsLines(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const broken: number[] = [];
  const parser = csvRecords(Readable.from(chunks), ({ line: number }) => broken.push(number));
  let line = 0;
  const at = (wanted: number, text: string): Buffer => {
    const gap = '\n'.repeat(Math.max(0, wanted - line - 1));
    line = Math.max(line + 1, wanted);
    return Buffer.from(`${gap}${text}\n`);
  };
  for await (const { record, info } of parser) {
    // The parser is ahead of us: some of what it skipped comes behind this record.
    while ((broken[0] ?? Infinity) < info.lines) yield at(broken.shift() ?? 0, 'a broken record');
    yield at(info.lines, JSON.stringify(jobOf(record)));
  }
  for (const number of broken) yield at(number, 'a broken record');
}

/** Columns go by the names of the fields; an empty cell says nothing. */
function jobOf(record: Readonly<Record<string, string>>): Record<string, unknown> {
  const given = Object.entries(record).filter(([, value]) => value !== '');
  const { attempt } = record;
  const number = attempt !== undefined && /^\d{1,10}$/u.test(attempt) ? { attempt: Number(attempt) } : {};
  return { ...Object.fromEntries(given), ...number };
}
