/** Pattern rules over text. */

export interface PatternRule {
  /** Global. */
  readonly pattern: RegExp;
  readonly replaceWith: string;
}

interface Cut {
  readonly from: number;
  readonly to: number;
  readonly replaceWith: string;
}

/** A reading of a text, and where each of its units begins in the text itself (undefined: at the same place). */
interface View {
  readonly text: string;
  readonly starts: Uint32Array | undefined;
}

/** Escapes inside escapes inside escapes: JSON that carries JSON as a string is common, deeper is not. */
const MAX_UNESCAPING = 4;

/**
 * Replaces every hit. A text that holds escapes (`\u0073ecret`, JSON inside a JSON string) is also searched as what
 * it decodes to, and the escapes are cut with it. Returns the same string where nothing hits.
 */
export function cutText(text: string, rules: readonly PatternRule[]): string {
  return apply(text, findCuts(text, rules));
}

/**
 * The same over text that is no JSON: also searches each word and each quoted part alone, for patterns with `^` or `$`
 * that were meant for one value.
 */
export function cutRawText(text: string, rules: readonly PatternRule[]): { text: string; cuts: number } {
  if (rules.length === 0) return { text, cuts: 0 };
  const cuts = findCuts(text, rules);
  for (const [from, to] of tokens(text)) {
    for (const cut of findCuts(text.slice(from, to), rules)) {
      cuts.push({ ...cut, from: cut.from + from, to: cut.to + from });
    }
  }
  const merged = merge(cuts);
  return { text: apply(text, merged), cuts: merged.length };
}

function findCuts(text: string, rules: readonly PatternRule[]): Cut[] {
  const cuts: Cut[] = [];
  let view: View | undefined = { text, starts: undefined };
  for (let level = 0; view !== undefined && level <= MAX_UNESCAPING; level += 1) {
    for (const rule of rules) search(view, text.length, rule, cuts);
    view = unescaped(view);
  }
  return cuts;
}

function search(view: View, length: number, rule: PatternRule, cuts: Cut[]): void {
  const { pattern, replaceWith } = rule;
  pattern.lastIndex = 0;
  for (let match = pattern.exec(view.text); match !== null; match = pattern.exec(view.text)) {
    const end = match.index + match[0].length;
    if (match[0] === '') pattern.lastIndex += 1;
    else cuts.push({ from: sourceOf(view, match.index, length), to: sourceOf(view, end, length), replaceWith });
  }
}

function sourceOf(view: View, index: number, length: number): number {
  return view.starts === undefined ? index : (view.starts[index] ?? length);
}

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', b: '\b', f: '\f', '/': '/', '"': '"', '\\': '\\' };

/** The text with its JSON escapes decoded, or undefined where there is none. */
function unescaped(view: View): View | undefined {
  const { text } = view;
  if (!text.includes('\\')) return undefined;
  const starts = new Uint32Array(text.length);
  const units: string[] = [];
  let found = false;
  for (let i = 0; i < text.length; ) {
    const escape = escapeAt(text, i);
    starts[units.length] = view.starts?.[i] ?? i;
    units.push(escape?.unit ?? text.charAt(i));
    found ||= escape !== undefined;
    i += escape?.length ?? 1;
  }
  if (!found) return undefined;
  return { text: units.join(''), starts: starts.subarray(0, units.length) };
}

function escapeAt(text: string, i: number): { unit: string; length: number } | undefined {
  if (text.charCodeAt(i) !== 0x5c) return undefined;
  const next = text.charAt(i + 1);
  if (next !== 'u') {
    const unit = ESCAPES[next];
    return unit === undefined ? undefined : { unit, length: 2 };
  }
  const digits = text.slice(i + 2, i + 6);
  return /^[0-9a-f]{4}$/iu.test(digits) ? { unit: String.fromCharCode(parseInt(digits, 16)), length: 6 } : undefined;
}

/** Overlapping cuts become one; the first one's replacement stands for all. */
function merge(cuts: Cut[]): Cut[] {
  const merged: Cut[] = [];
  for (const cut of cuts.sort((a, b) => a.from - b.from || b.to - a.to)) {
    const last = merged.at(-1);
    if (last === undefined || cut.from >= last.to) merged.push(cut);
    else if (cut.to > last.to) merged[merged.length - 1] = { ...last, to: cut.to };
  }
  return merged;
}

function apply(text: string, cuts: Cut[]): string {
  if (cuts.length === 0) return text;
  let result = '';
  let done = 0;
  for (const { from, to, replaceWith } of merge(cuts)) {
    result += text.slice(done, from) + replaceWith;
    done = to;
  }
  return result + text.slice(done);
}

/** Words and quoted parts, as far as broken JSON has them: an unclosed quote reaches to the end. */
function* tokens(text: string): Generator<readonly [number, number]> {
  let i = 0;
  while (i < text.length) {
    const quoted = text.charCodeAt(i) === 0x22;
    const from = quoted ? i + 1 : i;
    let to = from;
    if (quoted) while (to < text.length && text.charCodeAt(to) !== 0x22) to += text.charCodeAt(to) === 0x5c ? 2 : 1;
    else while (to < text.length && !' \t\r\n,:{}[]"'.includes(text.charAt(to))) to += 1;
    to = Math.min(to, text.length);
    if (to > from) yield [from, to];
    i = quoted || to === from ? to + 1 : to;
  }
}
