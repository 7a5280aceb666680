import { nothingOf, type Evidence, type Finding } from '../assessment.js';
import { badOf, onsetOf, round, shareOf, sumOf, type WindowFigures } from '../figures.js';
import { wilson } from '../statistics.js';
import { afterNothing } from './began-with.js';
import { besideOthers, withoutPoison, type Beside } from './beside.js';
import { confinedTo, type Confined } from './confined.js';
import { doubtsAbout } from './doubts.js';
import { outlived } from './race.js';

/**
 * A release that fails at what another does well. For it: side by side, at the same time, on the same kinds of the same
 * queues, this one fails, or loses its workers, and the other does not; its workers' heaps or pools fill up and those of
 * others do not; it is the newer one, and failed from its first jobs on. Without another beside it: what failed began with
 * its first jobs, and nothing else says why. Against it: all releases fail alike, it did well for a while, it is as old as
 * anything known, or few jobs are all that fails.
 */
export function badRevision(figures: WindowFigures): Finding {
  const accused = [...revisionsOf(figures)].map((revision) => judged(figures, revision)).sort((a, b) => b.confidence - a.confidence);
  return accused[0] ?? nothingOf('bad_revision');
}

/** `other` is many, and nobody can be sent back from no name. */
function revisionsOf({ recent }: WindowFigures): ReadonlySet<string> {
  return new Set(recent.map((c) => c.revision).filter((r) => r !== '' && r !== 'other'));
}

/** Bad attempts of different jobs that are worth a judgement; fewer, where its workers say why. */
const FEWEST_BAD = 5;
const FEWEST_CONFINED = 3;
/** Above it, little doubt is left: nothing below leads to a rollback. */
const CAP_UNSURE = 0.6;
/** Several weak marks are weak: only one that is strong by itself leads to a rollback. */
const CAP_WEAK = 0.78;
const STRONG = 0.8;

function judged(figures: WindowFigures, revision: string): Finding {
  const own = withoutPoison(figures).filter((c) => c.revision === revision);
  const bad = badOf(sumOf(own));
  const confined = confinedTo(figures, revision);
  if (bad.of < (confined === null ? FEWEST_BAD : FEWEST_CONFINED)) return nothingOf('bad_revision');
  const marks = marksOf(figures, revision, confined);
  if (marks.length === 0) return nothingOf('bad_revision');
  const onsetMs = onsetOf(figures.window, own, shareOf(figures.usual));
  const doubts = doubtsAbout(figures, revision, onsetMs, confined?.beside === true);
  const best = Math.max(...marks.map((m) => m.sure));
  const all = 1 - marks.reduce((left, { sure }) => left * (1 - sure), 1);
  const sure = best >= STRONG ? best : Math.max(best, Math.min(CAP_WEAK, all));
  const confidence = Math.min(sure * explainedBy(figures, revision, Math.min(onsetMs, figures.onsetMs)), doubts.length > 0 ? CAP_UNSURE : 1);
  return {
    ...{ cause: 'bad_revision', subject: revision, confidence },
    outweighs: doubts.length === 0,
    evidence: [...marks.flatMap((m) => m.evidence), ...doubts],
  };
}

/** How much of what goes wrong beyond the usual is this release's. Nobody knows whose the attempts without a revision are. */
function explainedBy({ recent, usual }: WindowFigures, revision: string, sinceMs: number): number {
  const since = recent.filter((c) => c.revision !== '' && (c.revision === revision || c.slotMs >= sinceMs));
  const beyond = (own: boolean, deviations: number): number => {
    const bad = badOf(sumOf(since.filter((c) => (c.revision === revision) === own)));
    const expected = shareOf(usual) * bad.all;
    return Math.max(0, bad.of - expected - deviations * Math.sqrt(expected));
  };
  const [here, there] = [beyond(true, 0), beyond(false, 2)];
  return here === 0 ? 0 : here / (here + there);
}

export interface Sureness {
  readonly sure: number;
  readonly evidence: readonly Evidence[];
}

const FEWEST_THERE = 10;

function marksOf(figures: WindowFigures, revision: string, confined: Confined | null): readonly Sureness[] {
  const beside = besideOthers(figures, revision);
  const compared = beside !== null && beside.there.all >= FEWEST_THERE && beside.here.all >= FEWEST_BAD;
  const fails = compared ? ofContrast(figures, revision, beside) : null;
  const dies = outlived(figures) ? null : ofDeaths(figures, revision);
  const ails = ofWorkers(confined);
  const told = [fails, dies, ails].filter((mark) => mark !== null);
  // Where nothing differs side by side, nothing does: that it began with the release is chance.
  if (told.length === 0 && compared && beside.high < MOST_ALIKE) return [];
  const after = afterNothing(figures, revision);
  if (after === null || (fails !== null && fails.sure > ONCE && fails.sure < LEAST_BESIDE)) return told;
  if (fails === null || fails.sure <= ONCE) return [...told, after];
  // Too short to be sure, as when workers die and their leases run out only once the others are gone.
  const both = Math.max(fails.sure, Math.min(0.95, 1 - (1 - fails.sure) * (1 - after.sure)));
  return [{ sure: both, evidence: [...fails.evidence, ...after.evidence] }, ...told.slice(1)];
}

/** Standard deviations. */
const LEAST_Z = 2.5;
/** Of a difference in one half minute alone: too little without anything else. */
const ONCE = 0.4;

/** A difference side by side that is worth the other evidence. */
const LEAST_BESIDE = 0.5;
/** So little more, at most, is no difference. */
const MOST_ALIKE = 0.15;
/** Too little: it differs, but not by as much as a release that has to go. */
const LEAST_DIFFERENCE = 0.1;

function ofContrast(figures: WindowFigures, revision: string, { z, leastZ, low, here, there }: Beside): Sureness | null {
  if (z < LEAST_Z || low <= 0) return null;
  const strong = z >= 4 && low >= LEAST_DIFFERENCE && wilson(there).low < 0.2;
  const others = shareOf(there);
  const once = leastZ < LEAST_Z;
  const sure = once ? ONCE : strong ? Math.min(0.98, 0.86 + 0.02 * (z - 4) + 0.1 * Math.min(1, low)) : z < 3.5 ? 0.5 : 0.6;
  // Where the others fail as well, it is at most a part of it.
  const part = Math.max(0, 1 - 2 * Math.max(0, others - shareOf(figures.usual) - 0.05));
  return {
    sure: sure * part,
    evidence: [
      {
        says: `Revision ${revision} fails where other revisions succeed: at the same time, on the same kinds of the same queues.`,
        figures: { revision, bad: here.of, ended: here.all, othersBad: there.of, othersEnded: there.all, atLeastMore: round(low), deviations: round(z, 1) },
      },
    ],
  };
}

/** Leases lost at once are of one death: a node that goes away is none of a release's faults. */
const FEWEST_TIMES = 3;
const ONE_DEATH_MS = 20_000;

/** Its workers die, others do not: little beside what fails anyway, and yet no chance. */
function ofDeaths(figures: WindowFigures, revision: string): Sureness | null {
  const times = new Set(figures.recent.filter((c) => c.revision === revision && c.counts.lost > 0).map((c) => Math.floor(c.slotMs / ONE_DEATH_MS)));
  const beside = times.size < FEWEST_TIMES ? null : besideOthers(figures, revision, 'lost');
  if (beside === null || beside.there.all < 2 * FEWEST_THERE || beside.z < 3.5 || wilson(beside.there).low > 0.02) return null;
  const { here, there, z } = beside;
  return {
    sure: 0.7,
    evidence: [
      {
        says: `Workers of revision ${revision} fall silent with their jobs again and again, those of other revisions beside them do not.`,
        figures: { revision, lost: here.of, ended: here.all, othersLost: there.of, othersEnded: there.all, times: times.size, deviations: round(z, 1) },
      },
    ],
  };
}

function ofWorkers(confined: Confined | null): Sureness | null {
  if (confined === null || confined.chance > (confined.beside ? 0.1 : 0.05)) return null;
  return { sure: confined.beside ? (confined.chance <= 0.01 ? 0.75 : confined.chance <= 0.05 ? 0.65 : 0.5) : 0.3, evidence: [confined.evidence] };
}
