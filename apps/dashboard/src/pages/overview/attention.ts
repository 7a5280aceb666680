import type { Shape, Tone } from '../../kit/StatusText';
import { pathTo } from '../../routes/paths';
import { overview } from '../../text/overview';
import type { OverviewQueue } from './overview-query';

/** So many attempts must have ended before their ratio says anything. */
const ENOUGH = 20;
const FAILING = 0.25;
const OFTEN_FAILING = 0.05;
const SLOW = 3;

export interface Standing {
  readonly text: string;
  /** What the word means. */
  readonly hint: string;
  /** Where it can be seen, if there is one such place. */
  readonly to?: string;
  readonly tone: Tone;
  readonly shape: Shape;
  /** 0 = well; the higher, the sooner it should be looked at. */
  readonly weight: number;
}

const { state } = overview;
const WELL: Standing = { ...state.well, tone: 'ok', shape: 'dot', weight: 0 };

/** In how many attempts of the last minutes something failed; null: none has ended. */
export function failureRatio({ recent: { succeeded, failed } }: OverviewQueue): number | null {
  return succeeded + failed === 0 ? null : failed / (succeeded + failed);
}

/** How bad it is that so many of those that ended failed; null: too few have ended to say. */
export function failureTone(failed: number, ended: number): 'ok' | 'warn' | 'bad' | null {
  if (ended < ENOUGH) return null;
  return failed / ended >= FAILING ? 'bad' : failed / ended >= OFTEN_FAILING ? 'warn' : 'ok';
}

/** How many times the usual median the current one is; null: one of them is not known. */
export function slowness({ recent: { medianMs }, usualMedianMs }: OverviewQueue): number | null {
  return medianMs === null || usualMedianMs === null || usualMedianMs === 0 ? null : medianMs / usualMedianMs;
}

/** The one thing to say first about a queue: what is most urgent. */
export function standingOf(queue: OverviewQueue): Standing {
  const { namespace, queue: name, recent, recovery, stuck, held, gate, refusedRevisions = [] } = queue;
  const failures = failureTone(recent.failed, recent.succeeded + recent.failed);
  const inStuck = pathTo.stuck({ namespace, queue: name });
  if (recovery === 'blackout') return { ...state.blackout, tone: 'bad', shape: 'square', weight: 9 };
  if (failures === 'bad') return { ...state.failing, tone: 'bad', shape: 'cross', weight: 8 };
  if (stuck > 0) return { ...state.stuck, to: inStuck, tone: 'bad', shape: 'triangle', weight: 7 };
  if (recovery === 'probing') return { ...state.probing, tone: 'warn', shape: 'ring', weight: 6 };
  if (refusedRevisions.length > 0) return { ...state.refused, to: pathTo.incidents({ namespace, tab: 'refused' }), tone: 'warn', shape: 'square', weight: 5 };
  if (failures === 'warn') return { ...state.someFail, tone: 'warn', shape: 'cross', weight: 4 };
  if (held > 0) return { ...state.held, to: inStuck, tone: 'warn', shape: 'hand', weight: 4 };
  if ((slowness(queue) ?? 0) >= SLOW && recent.succeeded >= ENOUGH) return { ...state.slow, tone: 'warn', shape: 'ring', weight: 3 };
  if (gate === 'paused') return { ...state.paused, tone: 'calm', shape: 'pause', weight: 2 };
  if (gate === 'throttled') return { ...state.throttled, tone: 'calm', shape: 'pause', weight: 2 };
  return WELL;
}
