import { wordOf } from '../../kit/word-of';
import { deadLetters as text } from '../../text/dead-letters';
import { visible } from '../../text/format';
import type { Letter, Pattern } from './letter-queries';

/** What a reason of the log means. */
export const diedOf = (reason: string): string => wordOf(text.reason, reason) ?? text.reason.unknown(visible(reason));

/** The same of one letter, of which it is known whether a failure was the last of its retries. */
export function letterReason({ reason, chain }: Pick<Letter, 'reason' | 'chain'>): string {
  return (reason === 'failed' ? wordOf(text.letter.failed, chain.at(-1)?.ended ?? '') : null) ?? diedOf(reason);
}

export const refusalWord = (code: string): string => wordOf(text.redrive.refusal, code) ?? text.redrive.refusal.other(visible(code));

export const endedWord = (ended: string): string => wordOf(text.letter.ended, ended) ?? visible(ended);

/** The error as far as all of a pattern have it in common; where nobody said why, how they ended. */
export function patternTitle({ reason, class: name, message }: Pick<Pattern, 'reason' | 'class' | 'message'>): string {
  if (name === null) return diedOf(reason);
  return message === '' ? visible(name) : `${visible(name)}: ${visible(message)}`;
}

/** Of its last attempt, which is the one that it died with. */
export function lastError({ chain }: Letter): string | null {
  const error = chain.findLast((link) => link.error !== undefined)?.error;
  return error === undefined ? null : `${visible(error.class)}: ${visible(error.message)}`;
}
