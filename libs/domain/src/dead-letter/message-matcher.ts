import { normalisedMessage } from './normalised-message.js';

/** What each word of a normalised message stands for. None can end in two places, or a message that is another one takes for ever. */
const WORDS: Readonly<Record<string, string>> = {
  '<url>': String.raw`[^\s"'<>]+`,
  '<email>': String.raw`[\w.+-]+@[\w.-]+`,
  '<time>': String.raw`\d[\d-]+(?:[T ]\d[\d:.,]+(?:Z|[+-]\d[\d:]+)?)?`,
  '<address>': String.raw`[\d.:]+`,
  '<path>': String.raw`(?:\/[\w.@-]+|[A-Z]:\\[\w.\\ -]+)+`,
  '<text>': String.raw`(?:"[^"]*"|'[^']*'|\x60[^\x60]*\x60)`,
  '<id>': String.raw`[\w-]+`,
  '<n>': String.raw`\d+(?:[.,]\d+)*`,
};

/** Words of one kind that are strung together are one. */
const STRUNG = /(<(?:id|path)>)(?:-?\1)+/gu;
/** A word of which the end was cut. */
const HALF_A_WORD = /<[a-z]{0,7}$/u;

const WORD = /<(?:url|email|time|address|path|text|id|n)>/u;
const CUT = '…';

/**
 * Source of a regular expression (flags `su`) that finds a message again although what changes in it has changed: numbers, ids,
 * addresses, times, quoted values, and whatever redaction has put one of `redacted` in the place of.
 */
export function messageMatcher(message: string, redacted: readonly string[] = []): string {
  const words = redacted.filter((word) => word !== '');
  const parts = words.length === 0 ? [message] : message.split(new RegExp(words.map(escaped).join('|'), 'u'));
  const [first = '', ...rest] = parts.map(partSource);
  const last = rest.pop();
  if (last === undefined) return String.raw`^\s*${first}\s*$`;
  // One of those between: each more would multiply what is tried in vain.
  const between = rest.reduce((longest, part) => (part.length > longest.length ? part : longest), '');
  return String.raw`^\s*${[first, ...(between === '' ? [] : [between]), last].join('.*')}\s*$`;
}

/** Without the white space around it. */
function partSource(part: string): string {
  const normalised = normalisedMessage(part);
  const cut = normalised.endsWith(CUT) && !part.trimEnd().endsWith(CUT);
  const whole = cut ? normalised.slice(0, -CUT.length).replace(HALF_A_WORD, '') : normalised;
  return spread(whole.replaceAll(STRUNG, '$1'), WORD.test(part)) + (cut ? '.*' : '');
}

/** Literal text with a place for each word. `told`: the message has words that look like them. */
function spread(text: string, told: boolean): string {
  const found = WORD.exec(text);
  if (found === null) return literal(text);
  const [word] = found;
  const source = WORDS[word] ?? '';
  return `${literal(text.slice(0, found.index))}${told ? `(?:${source}|${word})` : source}${spread(text.slice(found.index + word.length), told)}`;
}

function literal(text: string): string {
  return text.split(/\s+/u).map(escaped).join(String.raw`\s+`);
}

function escaped(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|/]/gu, String.raw`\$&`);
}
