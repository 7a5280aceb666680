import type { Readable } from 'node:stream';
import { parse } from 'csv-parse';

export interface CsvRecord {
  readonly record: Readonly<Record<string, string>>;
  /** `lines`: where it ends in the file. */
  readonly info: { readonly lines: number };
}

export interface BrokenLine {
  readonly line: number;
  readonly fault: string;
}

/**
 * Records by the names in the first line. One that is broken is left out and told: the parser is ahead of whoever reads,
 * so what is told may lie behind the record at hand.
 */
export function csvRecords(input: Readable, broken: (line: BrokenLine) => void): AsyncIterable<CsvRecord> {
  return input.pipe(
    parse({
      columns: true,
      bom: true,
      info: true,
      trim: true,
      skip_empty_lines: true,
      skip_records_with_error: true,
      on_skip: (error) => {
        // The parser speaks of "Invalid Record Length: columns length is 3, got 1 on line 5"; the line is told apart.
        if (error !== undefined)
          broken({ line: Number(error['lines'] ?? 0), fault: error.message.replace(/ on line \d+.*$/u, '') });
        return undefined;
      },
    }),
  ) as AsyncIterable<CsvRecord>;
}
