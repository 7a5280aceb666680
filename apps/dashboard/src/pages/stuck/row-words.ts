import { heldWord } from '../../kit/waiting';
import type { Shape, Tone } from '../../kit/StatusText';
import { verdictWords } from '../../text/events';
import { duration, visible } from '../../text/format';
import { stuck } from '../../text/stuck';
import type { RunRow } from './stuck-queries';

const { runs: text } = stuck;

export const OUTCOME_LOOKS: Readonly<Record<RunRow['outcome'], readonly [Tone, Shape]>> = {
  decided: ['ok', 'dot'],
  'would-have': ['calm', 'eye'],
  reported: ['warn', 'triangle'],
  held: ['warn', 'pause'],
  refused: ['calm', 'cross'],
};

/** What the reconciler saw, and by which limit: `lost, longer than the limit of its queue, 30 s`. */
export function sawText({ verdict, reason, threshold }: Pick<RunRow, 'verdict' | 'reason' | 'threshold'>): string {
  const word = verdict ?? reason;
  const what = Object.hasOwn(text.because, word) ? text.because[word as keyof typeof text.because] : visible(word);
  return text.saw(what, threshold === null ? null : verdictWords.threshold[threshold.source](duration(threshold.ms)));
}

/** What came of it, with what kept it back or who let it. */
export function outcomeText({ outcome, heldBy, refusal, approvedBy }: RunRow): string {
  if (outcome === 'held' && heldBy !== undefined) return text.heldBy(heldWord(heldBy));
  if (outcome === 'refused' && refusal !== undefined) {
    const why = Object.hasOwn(verdictWords.refusal, refusal) ? verdictWords.refusal[refusal as keyof typeof verdictWords.refusal] : visible(refusal);
    return `${text.outcome.refused} (${why})`;
  }
  return approvedBy === undefined ? text.outcome[outcome] : `${text.outcome[outcome]}, ${text.approvedBy(visible(approvedBy))}`;
}

/** What was seen of a job and what came of it, in one line. */
export function onlyText(row: RunRow): string {
  const came = row.outcome === 'decided' && row.decisions.length > 0 ? row.decisions.map(decisionWord).join(', ') : outcomeText(row);
  return text.only(sawText({ ...row, threshold: null }), came);
}

/** What was, or would have been, decided, in words. */
export const decisionWord = (decision: string): string =>
  Object.hasOwn(text.decision, decision) ? text.decision[decision as keyof typeof text.decision] : visible(decision);
