import { OUTCOME_SLOT_MS } from './outcome-counts.js';
import type { BadAttempt, WindowCell } from './window.js';

/** A job that stands out by how often it went wrong. */
export interface Suspect {
  readonly queue: string;
  readonly job: string;
  readonly attempts: readonly BadAttempt[];
}

/** As many as somebody would look at one by one. */
const MOST_SUSPECTS = 5;
/** Tries that no job of luck needs. */
const FEWEST_TRIES = 3;

/** The most often tried first; none where many jobs are. */
export function suspectsOf(attempts: readonly BadAttempt[]): readonly Suspect[] {
  const jobs = new Map<string, { queue: string; job: string; attempts: BadAttempt[] }>();
  for (const attempt of attempts) {
    const key = `${attempt.queue}\0${attempt.job}`;
    const found = jobs.get(key);
    if (found === undefined) jobs.set(key, { queue: attempt.queue, job: attempt.job, attempts: [attempt] });
    else found.attempts.push(attempt);
  }
  const often = [...jobs.values()].filter((j) => j.attempts.length >= FEWEST_TRIES || isPill(j.attempts));
  return often.length > MOST_SUSPECTS ? [] : often.sort((a, b) => b.attempts.length - a.attempts.length || runOf(a) - runOf(b));
}

/** Given up since its workers fell silent, again and again: proof enough. */
function isPill(attempts: readonly BadAttempt[]): boolean {
  return attempts.length > 1 && attempts.every((a) => a.poisonPill === true && a.end === 'lost');
}

/** How long its attempts ran, in the mean: what a worker dies of began last. */
function runOf({ attempts }: Suspect): number {
  return attempts.reduce((sum, a) => sum + (a.runMs ?? 0), 0) / attempts.length;
}

/** Leases of one dead worker run out together, or nearly. */
const TOGETHER_MS = 2 * OUTCOME_SLOT_MS;

/** Was a suspect's attempt lost, by a worker of the cell's revision, at about the time of the cell? */
export function besideDeath(suspects: readonly Suspect[], { slotMs, revision }: WindowCell): boolean {
  return suspects.some((s) =>
    s.attempts.some((a) => {
      const near = a.endedMs >= slotMs - TOGETHER_MS && a.endedMs < slotMs + OUTCOME_SLOT_MS + TOGETHER_MS;
      return a.end === 'lost' && a.revision === revision && near;
    }),
  );
}

/** The cells without the suspects' own attempts, and without what was lost beside them. */
export function withoutSuspects(cells: readonly WindowCell[], suspects: readonly Suspect[]): readonly WindowCell[] {
  if (suspects.length === 0) return cells;
  return cells.map((cell) => {
    const own = suspects.flatMap((s) => s.attempts.filter((a) => isIn(a, cell)));
    const lost = besideDeath(suspects, cell) ? 0 : cell.counts.lost;
    const failed = Math.max(0, cell.counts.failed - own.filter((a) => a.end === 'failed').length);
    return { ...cell, counts: { ...cell.counts, failed, lost } };
  });
}

function isIn(a: BadAttempt, { queue, kind, revision, slotMs }: WindowCell): boolean {
  return a.queue === queue && a.kind === kind && a.revision === revision && a.endedMs >= slotMs && a.endedMs < slotMs + OUTCOME_SLOT_MS;
}
