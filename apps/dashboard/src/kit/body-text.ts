import { visible } from '../text/format';
import { indentJson } from './indent-json';

export interface BodyText {
  readonly parts: readonly { readonly text: string; readonly redacted: boolean; readonly at: number }[];
  /** Values that redaction replaced, in what is shown. */
  readonly redacted: number;
  /** Characters shown of all; null: it is whole. */
  readonly cut: { readonly shown: number; readonly all: number } | null;
}

/** What a browser lays out without a pause. */
const MOST = 100_000;
const REDACTED = '[redacted]';

/** A body to be read: indented where it is JSON, what redaction replaced set apart, hidden characters written out. */
export function bodyText(bytes: string): BodyText {
  const whole = /^\s*[{["]/.test(bytes) && bytes.length <= 4 * MOST ? indentJson(bytes) : bytes;
  const shown = whole.slice(0, MOST);
  const pieces = shown.split(REDACTED);
  const parts = pieces.flatMap((piece, i) => [
    { text: piece.split('\n').map(visibleLine).join('\n'), redacted: false, at: 2 * i },
    ...(i < pieces.length - 1 ? [{ text: REDACTED, redacted: true, at: 2 * i + 1 }] : []),
  ]);
  return { parts, redacted: pieces.length - 1, cut: whole.length > MOST ? { shown: MOST, all: whole.length } : null };
}

/** Indents are spaces that mean nothing: only what stands behind them is a text of somebody. */
function visibleLine(line: string): string {
  const [indent = ''] = /^[ \t]*/.exec(line) ?? [];
  return indent + visible(line.slice(indent.length).replace(/ +$/, '')) + (/ +$/.exec(line.slice(indent.length))?.[0] ?? '');
}
