import { nothingOf, type Finding } from '../assessment.js';
import { round, shareOf, type WindowFigures } from '../figures.js';
import { besideDeath } from '../suspects.js';

/**
 * A job that fails whoever takes it, or that its workers die of. For it: few jobs account for what goes wrong, tried again
 * and again, by several workers; what else was lost was lost beside them. Against it: jobs that fail are many, or the same
 * workers fail at other jobs too.
 */
export function poisonJob(figures: WindowFigures): Finding {
  const { suspects } = figures;
  const first = suspects[0];
  if (first === undefined) return nothingOf('poison_job');
  const own = suspects.reduce((sum, s) => sum + s.attempts.length, 0);
  const beside = lostBeside(figures);
  const { bad, usual, counts } = figures;
  const excess = Math.max(own, bad.of - shareOf(usual) * bad.all);
  // Who comes back with a late result has not died of it.
  const alive = Math.min(1, (counts.writeRefused + counts.contradicted) / Math.max(1, counts.lost + counts.failed));
  const explained = Math.min(1, (own + beside) / excess) * (1 - alive);
  const workers = new Set(suspects.flatMap((s) => s.attempts.map((a) => a.worker ?? ''))).size;
  const revisions = new Set(suspects.flatMap((s) => s.attempts.map((a) => a.revision))).size;
  const sure = 0.8 + (workers > 1 ? 0.1 : 0) + (revisions > 1 ? 0.05 : 0);
  return {
    cause: 'poison_job',
    subject: `${first.queue}/${first.job}`,
    confidence: explained * sure,
    evidence: [
      {
        says: `${plural(suspects.length, 'job')} of many account for most of what goes wrong, each tried again and again.`,
        figures: { job: `${first.queue}/${first.job}`, jobs: suspects.length, theirAttempts: own, badAttempts: round(excess, 0), workers, revisions },
      },
      ...(beside > 0 ? [{ says: 'Other jobs were lost with the worker that ran one of them.', figures: { lostBeside: beside } }] : []),
    ],
  };
}

/** Jobs that one worker runs at once, at most, for its death to explain as many. */
const MOST_AT_ONCE = 50;

/** Leases of other jobs that were lost at about the time at which a suspect's was, by the same revision's workers. */
function lostBeside({ recent, suspects }: WindowFigures): number {
  const deaths = suspects.flatMap((s) => s.attempts).filter((a) => a.end === 'lost').length;
  const lost = recent.filter((cell) => besideDeath(suspects, cell)).reduce((sum, { counts }) => sum + counts.lost, 0);
  return Math.max(0, Math.min(lost - deaths, deaths * MOST_AT_ONCE));
}

function plural(n: number, what: string): string {
  return n === 1 ? `One ${what}` : `${String(n)} ${what}s`;
}
