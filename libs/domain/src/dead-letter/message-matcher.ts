import { normalisedMessage } from './normalised-message.js';

/** What each word of a normalised message stands for. Classes of characters, so that no message is costly to match. */
const WORDS: Readonly<Record<string, string>> = {
  '<url>': String.raw`\S+`,
  '<email>': String.raw`\S+`,
  '<time>': String.raw`[\d\-:.,TZ+ ]+`,
  '<address>': String.raw`[\d.:]+`,
  '<path>': String.raw`[\w.@\\/: -]+`,
  '<text>': String.raw`(?:"[^"]*"|'[^']*'|\x60[^\x60]*\x60)`,
  '<id>': String.raw`[\w-]+`,
  '<n>': String.raw`[\d.,]+`,
};

const WORD = /<(?:url|email|time|address|path|text|id|n)>/u;
const CUT = '…';

/**
 * Source of a regular expression (flags `su`) that finds a message again although what changes in it has changed: numbers, ids,
 * addresses, times, quoted values, and whatever redaction has put one of `redacted` in the place of.
 */
export function messageMatcher(message: string, redacted: readonly string[] = []): string {
  const words = redacted.filter((word) => word !== '');
  const parts = words.length === 0 ? [message] : message.split(new RegExp(words.map(escaped).join('|'), 'u'));
  return `^${parts.map(partSource).join('.*')}$`;
}

function partSource(part: string): string {
  const normalised = normalisedMessage(part);
  const cut = normalised.endsWith(CUT) && !part.trimEnd().endsWith(CUT);
  const source = spread(cut ? normalised.slice(0, -CUT.length) : normalised);
  return `\\s*${source}${cut ? '.*' : '\\s*'}`;
}

/** Literal text with a place for each word. */
function spread(text: string): string {
  const found = WORD.exec(text);
  if (found === null) return literal(text);
  const [word] = found;
  return `${literal(text.slice(0, found.index))}${WORDS[word] ?? ''}${spread(text.slice(found.index + word.length))}`;
}

function literal(text: string): string {
  return text.split(/\s+/u).map(escaped).join(String.raw`\s+`);
}

function escaped(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|/]/gu, String.raw`\$&`);
}
