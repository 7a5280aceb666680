import type { Assessment, Cause, CauseAction, Evidence, Finding } from './assessment.js';
import { badRevision } from './causes/bad-revision.js';
import { connectionExhaustion } from './causes/connection-exhaustion.js';
import { downstreamOutage } from './causes/downstream-outage.js';
import { lockContention } from './causes/lock-contention.js';
import { memory } from './causes/memory.js';
import { overload } from './causes/overload.js';
import { poisonJob } from './causes/poison-job.js';
import { race } from './causes/race.js';
import { badOf, figuresOf, round, shareOf, sumOf, type WindowFigures } from './figures.js';
import type { CauseWindow } from './window.js';

/** Below it, nothing is said to be the cause. */
const LEAST_CONFIDENCE = 0.5;
/** Below it, a bad revision is only named: going back is worse than waiting where it helps nothing. */
const LEAST_FOR_ROLLBACK = 0.8;
/** Too few attempts went wrong to say anything. */
const FEWEST_BAD = 4;

const FINDERS: readonly ((figures: WindowFigures) => Finding)[] = [
  poisonJob,
  badRevision,
  memory,
  lockContention,
  connectionExhaustion,
  downstreamOutage,
  race,
  overload,
];

/**
 * Why it goes wrong: each cause says what speaks for it and against it, as figures, and the one that explains most stands.
 * Where none does, it says so. Pure.
 */
export function assess(window: CauseWindow): Assessment {
  return examine(window).assessment;
}

/** The same with what every cause made of the window, the weightiest first. */
export function examine(window: CauseWindow): { readonly figures: WindowFigures; readonly findings: readonly Finding[]; readonly assessment: Assessment } {
  const figures = figuresOf(window);
  const findings = FINDERS.map((find) => find(figures)).sort((a, b) => weightOf(b) - weightOf(a));
  return { figures, findings, assessment: judged(figures, findings) };
}

function judged(figures: WindowFigures, findings: readonly Finding[]): Assessment {
  const selfSustained = isSelfSustained(figures);
  const [first, ...others] = findings;
  const also = others.filter((f) => f.confidence >= 0.25).flatMap(({ cause, evidence, confidence }): readonly Evidence[] => {
    const [told] = evidence;
    return told === undefined ? [] : [{ says: `Also, of ${cause}: ${told.says}`, figures: { confidence: round(confidence), ...told.figures } }];
  });
  if (first === undefined || first.confidence < LEAST_CONFIDENCE || (figures.bad.of < FEWEST_BAD && first.cause !== 'overload' && first.cause !== 'poison_job')) {
    const evidence = [overall(figures), ...(first?.evidence ?? []), ...also];
    return { cause: 'unknown', subject: null, confidence: round(1 - (first?.confidence ?? 0)), selfSustained, action: 'escalate', evidence };
  }
  const { cause, subject, confidence } = first;
  return {
    ...{ cause, subject, selfSustained },
    confidence: round(Math.min(1, confidence)),
    action: actionOf(cause, confidence),
    evidence: [...first.evidence, overall(figures), ...also],
  };
}

/** What only one release meets while another does well is that release's fault, whatever its errors point at. */
function weightOf({ cause, confidence, outweighs }: Finding): number {
  if (cause === 'bad_revision' && confidence >= LEAST_FOR_ROLLBACK) return 2 + confidence;
  return outweighs === true && confidence >= LEAST_CONFIDENCE ? 1 + confidence : confidence;
}

function actionOf(cause: Cause, confidence: number): CauseAction {
  if (cause === 'bad_revision') return confidence >= LEAST_FOR_ROLLBACK ? 'rollback' : 'escalate';
  if (cause === 'poison_job') return 'dead-letter';
  return cause === 'unknown' ? 'escalate' : 'throttle';
}

/** Arrivals up to this much above what is usual are normal. */
const NORMAL_ARRIVALS = 1.5;
/** The end of the window, which tells whether it goes on; ms. */
const LATELY_MS = 60_000;

function isSelfSustained(figures: WindowFigures): boolean {
  const { window, recent, arrivals, usualArrivals, usual } = figures;
  if (usualArrivals !== null && arrivals > NORMAL_ARRIVALS * usualArrivals) return false;
  const lately = badOf(sumOf(recent.filter((c) => c.slotMs >= window.toMs - LATELY_MS)));
  return lately.of > 0 && shareOf(lately) > Math.max(0.1, 2 * shareOf(usual));
}

function overall({ bad, usual, counts, arrivals, usualArrivals }: WindowFigures): Evidence {
  return {
    says: 'Of what ended, so much failed or was lost.',
    figures: {
      ended: bad.all,
      failed: counts.failed,
      lost: counts.lost,
      share: round(shareOf(bad)),
      usualShare: round(shareOf(usual)),
      arrivalsPerMinute: round(arrivals, 1),
      ...(usualArrivals !== null && { usualArrivalsPerMinute: round(usualArrivals, 1) }),
    },
  };
}
