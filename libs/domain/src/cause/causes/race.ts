import { nothingOf, type Evidence, type Finding } from '../assessment.js';
import { round, type WindowFigures } from '../figures.js';
import { markedAs } from './marked.js';

/**
 * Two do the same job at once. For it: writes of attempts that a newer one had replaced were refused, successes came twice
 * or beside a failure, errors speak of stale tokens. Against it: nothing was refused, and nothing contradicts.
 */
export function race(figures: WindowFigures): Finding {
  const { counts, before, bad } = figures;
  const stale = counts.writeRefused + counts.contradicted;
  const staleBefore = before.writeRefused + before.contradicted;
  const marked = markedAs(figures, ['race'], 'Errors speak of stale tokens or writes.');
  if (stale < FEWEST && marked === null) return nothingOf('race');
  // Whoever outlives its lease is lost first, and refused afterwards.
  const late = outlived(figures) ? counts.lost / Math.max(1, bad.of) : stale / Math.max(1, bad.of + stale);
  const share = Math.min(1, (marked?.share ?? 0) + late);
  const evidence: Evidence[] = [
    {
      says: 'Writes of replaced attempts were refused, or contradict what others have told of the same job.',
      figures: { refused: counts.writeRefused, contradictions: counts.contradicted, before: staleBefore, share: round(share) },
    },
  ];
  if (marked !== null) evidence.push(marked.evidence);
  return { cause: 'race', subject: marked?.code ?? null, confidence: share * (stale >= FEWEST ? 0.9 : 0.75), evidence };
}

/** Those whose leases ran out were alive, and came back late: it is the leases that end too early. */
export function outlived({ counts }: WindowFigures): boolean {
  const stale = counts.writeRefused + counts.contradicted;
  return stale >= FEWEST && stale >= OUTLIVED * counts.lost;
}

const FEWEST = 5;
/** Of lost leases, those whose worker came back late, for the others to be of the same kind. */
const OUTLIVED = 0.25;
