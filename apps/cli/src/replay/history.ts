import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { parse } from 'csv-parse';
import { csvRecords, type BrokenLine } from '../csv/records.js';

/** One line of a history; `value` answers '' for what is not there. */
export interface HistoryLine {
  readonly line: number;
  readonly value: (column: string) => string;
}

export const HISTORY_FORMATS = ['csv', 'ndjson'] as const;
export type HistoryFormat = (typeof HISTORY_FORMATS)[number];

/** Lines as they come, the broken ones too: a history of a million lines is not given up for one of them. */
export function readHistory(file: string, format: HistoryFormat): AsyncGenerator<HistoryLine | BrokenLine> {
  return format === 'csv' ? readCsv(file) : readNdjson(file);
}

async function* readCsv(file: string): AsyncGenerator<HistoryLine | BrokenLine> {
  const skipped: BrokenLine[] = [];
  const parser = csvRecords(createReadStream(file), (broken) => skipped.push(broken));
  for await (const { record, info } of parser) {
    yield* skipped.splice(0);
    yield { line: info.lines, value: (column) => record[column] ?? '' };
  }
  yield* skipped;
}

/** Names in the first line of a CSV. */
export async function csvColumns(file: string): Promise<readonly string[]> {
  const parser = createReadStream(file).pipe(
    parse({ bom: true, trim: true, to: 1, relax_column_count: true }),
  ) as AsyncIterable<string[]>;
  for await (const names of parser) return names;
  return [];
}

async function* readNdjson(file: string): AsyncGenerator<HistoryLine | BrokenLine> {
  let line = 0;
  for await (const text of createInterface({ input: createReadStream(file), crlfDelay: Infinity })) {
    line += 1;
    if (text.trim() === '') continue;
    const parsed = parsedObject(text);
    yield typeof parsed === 'string' ? { line, fault: parsed } : { line, value: (path) => textAt(parsed, path) };
  }
}

function parsedObject(text: string): Record<string, unknown> | string {
  try {
    const parsed = JSON.parse(text) as unknown;
    if (typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed))
      return parsed as Record<string, unknown>;
    return 'is no JSON object';
  } catch (error) {
    return `is no JSON: ${error instanceof Error ? error.message : String(error)}`;
  }
}

/** A key as it stands, or a path into objects. */
function textAt(object: Record<string, unknown>, path: string): string {
  let value: unknown = object[path];
  if (value === undefined) {
    value = object;
    for (const step of path.split('.')) {
      value = typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[step] : undefined;
    }
  }
  if (value === null || value === undefined) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}
