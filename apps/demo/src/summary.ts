import type { TroubleReport } from './journal.js';

const HEADS = ['job', 'what happened', 'found as', 'what was done', 'after'] as const;

/** The closing table, and below it where to look. */
export function summaryLines(troubles: readonly TroubleReport[]): string[] {
  const rows = troubles.map((t) => [
    t.jobId,
    t.trouble,
    t.found ?? 'NOT FOUND',
    t.settled ? (t.done ?? '') : `NOT DEALT WITH${t.done === null ? '' : `: ${t.done}`}`,
    `${(t.tookMs / 1_000).toFixed(1)} s`,
  ]);
  const widths = HEADS.map((head, i) => Math.max(...[head, ...rows.map((row) => row[i] ?? '')].map((cell) => cell.length)));
  const line = (cells: readonly string[]) => cells.map((cell, i) => cell.padEnd(widths[i] ?? 0)).join('  ').trimEnd();
  return [
    line(HEADS),
    line(widths.map((width) => '-'.repeat(width))),
    ...rows.map(line),
    '',
    'Where to look:',
    ...troubles.flatMap(({ jobId, addresses }) => addresses.map((address, i) => `  ${(i === 0 ? jobId : '').padEnd(widths[0] ?? 0)}  ${address}`)),
  ];
}
