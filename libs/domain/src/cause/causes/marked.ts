import { mostOf, round, type WindowFigures } from '../figures.js';
import type { Evidence } from '../assessment.js';
import type { Mark } from '../marks.js';
import type { BadAttempt } from '../window.js';

export interface Marked {
  /** Of all that went wrong, lost leases included, 0 to 1. */
  readonly share: number;
  readonly attempts: readonly BadAttempt[];
  /** The most frequent code, or class where there is none; null: neither was told. */
  readonly code: string | null;
  readonly evidence: Evidence;
}

/** The attempts whose errors point at one of `marks`. null: none. */
export function markedAs(figures: WindowFigures, marks: readonly Mark[], says: string): Marked | null {
  const attempts = figures.attempts.filter((a) => marks.includes(a.mark));
  if (attempts.length === 0) return null;
  const code = mostOf(attempts.map((a) => a.code ?? (a.responseStatus === null ? a.class : String(a.responseStatus))))?.word ?? null;
  const told = figures.attempts.filter((a) => a.end === 'failed').length;
  const { failed, lost } = figures.counts;
  // The sample need not hold as many lost ones as there were.
  // Where no more goes wrong than ever, errors are what they always are.
  const more = Math.min(1, (2 * figures.excess) / Math.max(1, figures.wentBad));
  // One error that is told stands for one, not for all that are not: those whose jobs have succeeded since are none of the sample.
  const sure = failed <= told ? 1 : told / (told + 1);
  const share = (attempts.length / Math.max(1, told)) * (failed / Math.max(1, failed + lost)) * more * sure;
  const across = (of: (a: BadAttempt) => string) => new Set(attempts.map(of)).size;
  return {
    share,
    attempts,
    code,
    evidence: {
      says,
      figures: {
        code: code ?? 'none',
        share: round(share),
        attempts: attempts.length,
        ofSampled: figures.attempts.length,
        revisions: across((a) => a.revision),
        kinds: across((a) => a.kind),
        queues: across((a) => a.queue),
        jobs: across((a) => `${a.queue}/${a.job}`),
      },
    },
  };
}
