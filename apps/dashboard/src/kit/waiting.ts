import { common } from '../text/common';
import { visible } from '../text/format';
import { waits } from '../text/waits';

type Hold = Exclude<keyof typeof waits.held, 'lane' | 'other'>;

const isHold = (by: string): by is Hold => by !== 'lane' && by !== 'other' && Object.hasOwn(waits.held, by);
const laneOf = (by: string): string | null => (by.startsWith('lane:') ? by.slice('lane:'.length) : null);

/** What holds it back, in a word or two. */
export function heldWord(by: string): string {
  if (laneOf(by) !== null) return waits.held.lane;
  return isHold(by) ? waits.held[by] : waits.held.other(visible(by));
}

/** The same as a sentence that says what ends it. */
export function heldSentence(by: string): string {
  const lane = laneOf(by);
  if (lane !== null) return waits.heldSentence.lane(visible(lane));
  return isHold(by) ? waits.heldSentence[by] : waits.heldSentence.other(visible(by));
}

/** What it waits for, in a word or two. */
export function waitWord({ waitsFor }: { readonly waitsFor: string | null }): string {
  if (waitsFor === null) return common.none;
  return Object.hasOwn(waits.word, waitsFor) ? waits.word[waitsFor as keyof typeof waits.word] : visible(waitsFor);
}
