import type { BrokenListLine, ComparedJob, Comparison, ComparisonSummary } from '#libs/contracts';
import type { CompareItem, ComparisonSummary as Summary, Difference, MendOutcome } from '../compare/difference.js';
import { iso } from './time.js';

/** One line of a comparison's answer. */
export function comparisonLine(item: CompareItem): ComparedJob | BrokenListLine | ComparisonSummary {
  switch (item.type) {
    case 'difference':
      return comparedJob(item.difference, item.mended);
    case 'broken':
      return { type: 'broken', ...item.broken };
    case 'summary':
      return { type: 'summary', ...figures(item.summary) };
  }
}

/** Of each kind, and of broken lines, so many are shown. */
const EXAMPLES = 20;

/** The whole of a comparison as one object; the rest is read and only counted. */
export async function comparisonOf(items: AsyncIterable<CompareItem>): Promise<Comparison> {
  const examples: ComparedJob[] = [];
  const brokenLines: BrokenListLine[] = [];
  const shown = new Map<string, number>();
  for await (const item of items) {
    if (item.type === 'summary') return { ...figures(item.summary), examples, brokenLines };
    const kind = item.type === 'broken' ? 'broken' : item.difference.kind;
    const before = shown.get(kind) ?? 0;
    if (before >= EXAMPLES) continue;
    shown.set(kind, before + 1);
    if (item.type === 'broken') brokenLines.push({ type: 'broken', ...item.broken });
    else examples.push(comparedJob(item.difference, item.mended));
  }
  throw new Error('a comparison ends with its summary');
}

function comparedJob({ kind, line, ref, theirs, ours }: Difference, mended: MendOutcome | null): ComparedJob {
  const { word, status, attempt } = theirs;
  return {
    type: 'difference',
    kind,
    line,
    ...ref,
    theirs: word === null ? null : { status: word, means: status, ...(attempt !== null && { attempt }) },
    ours: ours === null ? null : { status: ours.status, attempt: ours.attempt, since: iso(ours.sinceMs) },
    ...(mended !== null && { mend: { outcome: mended.outcome, ...(mended.why !== null && { why: mended.why }) } }),
  };
}

function figures({ mended, asOfMs, differences, ...counts }: Summary): Omit<ComparisonSummary, 'type'> {
  const total = Object.values(differences).reduce((sum, count) => sum + count, 0);
  return { ...counts, total, differences: { ...differences }, ...(mended !== null && { mended: { ...mended } }), asOf: iso(asOfMs) };
}
