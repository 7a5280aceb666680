import type { BrokenComparison, BrokenListLine, ComparedJob, ComparisonSummary } from '#libs/contracts';
import { figure, printable } from '../terminal/table.js';

export type AnswerLine = ComparedJob | BrokenListLine | ComparisonSummary | BrokenComparison;

/** One difference, for people. */
export function differenceLine({ kind, line, namespace, queue, id, theirs, ours, mend }: ComparedJob): string {
  const where = namespace === 'default' ? `${queue}/${id}` : `${namespace}/${queue}/${id}`;
  const they = theirs === null ? 'not named' : theirs.status === theirs.means ? theirs.status : `${theirs.status} (${theirs.means})`;
  const we = ours === null ? 'unknown' : `${ours.status}, attempt ${ours.attempt}, since ${ours.since}`;
  const mended = mend === undefined ? '' : `; ${mend.outcome}${mend.why === undefined ? '' : ` (${mend.why})`}`;
  return printable(`${kind.padEnd(13)}  ${where}  theirs: ${they}; ours: ${we}${mended}${line === null ? '' : `  [line ${line}]`}`);
}

/** What it came to, for people. */
export function summaryLines(summary: ComparisonSummary): string[] {
  const { compared, same, moved, broken, total, differences, mended, asOf } = summary;
  const lines = [
    `${figure(compared)} ${compared === 1 ? 'job' : 'jobs'} compared as of ${asOf}: ${figure(total)} differences, ${figure(same)} the same, ${figure(moved)} in motion.`,
  ];
  if (total > 0) lines.push(`Differences: ${counts(differences)}.`);
  if (mended !== undefined) lines.push(`Mended: ${counts(mended)}.`);
  if (broken > 0) lines.push(`${broken === 1 ? '1 broken line was' : `${figure(broken)} broken lines were`} left out.`);
  return lines;
}

function counts(of: Readonly<Record<string, number>>): string {
  const some = Object.entries(of).filter(([, count]) => count > 0);
  return some.length === 0 ? 'none' : some.map(([word, count]) => `${figure(count)} ${word}`).join(', ');
}
