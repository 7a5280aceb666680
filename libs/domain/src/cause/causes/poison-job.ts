import { nothingOf, type Finding } from '../assessment.js';
import { round, shareOf, type WindowFigures } from '../figures.js';
import { besideDeath } from '../suspects.js';
import { howMany, verb } from '../../words/how-many.js';

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
  // What its workers die of has lost leases to explain, and no failures, of which there are always some.
  const deadly = suspects.every((s) => s.attempts.every((a) => a.end === 'lost'));
  const lostBefore = figures.before.lost / Math.max(1, usual.all);
  const excess = Math.max(own, deadly && !failsMore(figures) ? counts.lost - lostBefore * bad.all : bad.of - shareOf(usual) * bad.all);
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
    // What they die of, exhausted memory say, is the jobs' own.
    outweighs: explained * sure >= LEAST_SURE,
    evidence: [
      {
        says: `${howMany(suspects.length, 'job')} of many ${verb(suspects.length, 'accounts', 'account')} for most of what goes wrong, each tried again and again.`,
        figures: { job: `${first.queue}/${first.job}`, jobs: suspects.length, theirAttempts: own, badAttempts: round(excess, 0), workers, revisions },
      },
      ...(beside > 0 ? [{ says: 'Other jobs were lost with the worker that ran one of them.', figures: { lostBeside: beside } }] : []),
    ],
  };
}

const LEAST_SURE = 0.8;

/** Beyond what chance makes of what always fails. */
function failsMore({ counts, before, usual, bad }: WindowFigures): boolean {
  const expected = (before.failed / Math.max(1, usual.all)) * bad.all;
  return counts.failed > expected + 3 * Math.sqrt(expected);
}

/** Jobs that one worker runs at once, at most, for its death to explain as many. */
const MOST_AT_ONCE = 50;

/** Leases of other jobs that were lost at about the time at which a suspect's was, by the same revision's workers. */
function lostBeside(figures: WindowFigures): number {
  const { recent, suspects } = figures;
  const deaths = suspects.flatMap((s) => s.attempts).filter((a) => a.end === 'lost').length;
  const lost = recent.filter((cell) => besideDeath(suspects, cell)).reduce((sum, { counts }) => sum + counts.lost, 0);
  return Math.max(0, Math.min((lost - deaths) * withTheirs(figures), deaths * MOST_AT_ONCE));
}

/** Of other jobs' lost attempts, as far as they are told: the share that was lost with a worker of a suspect's. 1: too few are. */
function withTheirs({ window, suspects }: WindowFigures): number {
  const own = new Set(suspects.map((s) => `${s.queue}\0${s.job}`));
  const theirs = new Set(suspects.flatMap((s) => s.attempts.map((a) => a.worker)));
  const others = window.attempts.filter((a) => a.end === 'lost' && a.worker !== null && !own.has(`${a.queue}\0${a.job}`));
  return others.length < FEWEST_OTHERS ? 1 : others.filter((a) => theirs.has(a.worker)).length / others.length;
}

const FEWEST_OTHERS = 3;
