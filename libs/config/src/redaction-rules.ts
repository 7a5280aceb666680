import { REDACTED, redactionRule, type RedactionRule } from '#libs/contracts';
import type { FaultLog } from './fault-log.js';
import { forEachItem, readFields, type FieldTable } from './fields.js';
import { text, type Reader } from './readers.js';
import { nestedRepeat } from './regex-cost.js';
import type { Tree } from './yaml-tree.js';

/** Keys and indexes from the event's root on; `*` is any one of them, `**` any number. */
type RedactionPath = readonly string[];

interface RedactionSettings {
  readonly path: RedactionPath;
  readonly pattern: RegExp;
  readonly queue: string;
  readonly replaceWith: string;
}

const pathReader: Reader<RedactionPath> = {
  type: 'path',
  rule: 'keys with dots between, `*` for any key or element, `**` for any number of them, `["a.b"]` for a key with a dot',
  read(tree) {
    const written = tree.kind === 'scalar' ? tree.text : '';
    const path = parseRedactionPath(written);
    if (path === null) {
      const rule = `is not a path: ${JSON.stringify(written.slice(0, 100))}`;
      return {
        ok: false,
        rule,
        mend: 'write it as data.payload.customer.email, data.payload.cards[*].number or data["a.b"]',
      };
    }
    const checked = redactionRule({ path: path.join('.') });
    if (checked.ok) return { ok: true, value: path };
    return { ok: false, rule: checked.fault, mend: 'name a value inside data' };
  },
};

const patternReader: Reader<RegExp> = {
  type: 'regular expression',
  rule: 'as in JavaScript with flags `gu`; matches at least one character; no open repeat inside another',
  read(tree) {
    const source = tree.kind === 'scalar' ? tree.text : '';
    if (source === '' || source.length > 1_000) {
      return {
        ok: false,
        rule: 'must be a regular expression of 1 to 1000 characters',
        mend: 'write what is to be redacted',
      };
    }
    const checked = redactionRule({ pattern: source });
    if (!checked.ok || checked.rule.match.by !== 'pattern') {
      const mend = 'ask for at least one character, and with flag u escape special characters only';
      return { ok: false, rule: checked.ok ? 'is no pattern' : checked.fault, mend };
    }
    const repeat = nestedRepeat(source);
    if (repeat === null) return { ok: true, value: checked.rule.match.pattern };
    const rule = `repeats a repeat (${repeat}): one hostile event could keep the service busy for hours`;
    return { ok: false, rule, mend: 'let only one of the two be open, or give fixed counts' };
  },
};

export const REDACTION_FIELDS: FieldTable<RedactionSettings> = {
  path: {
    reader: pathReader,
    written: null,
    meaning:
      'A value of the event, from its root: `data.payload.email`; found in lists as well. Give this or `pattern`.',
  },
  pattern: {
    reader: patternReader,
    written: null,
    meaning: 'What to replace in every key, string and number, and in the text of what cannot be parsed.',
  },
  queue: {
    reader: text({ min: 1, max: 1_024 }, 'the name of a queue'),
    written: null,
    meaning:
      'Only events of this queue; `*` and `?` as in file names. What names no queue that can be read gets every rule.',
  },
  replaceWith: {
    reader: text({ min: 0, max: 200 }),
    written: REDACTED,
    meaning: 'What stands there instead.',
  },
};

export function readRedaction(tree: Tree | undefined, log: FaultLog): readonly RedactionRule[] {
  const rules: RedactionRule[] = [];
  if (tree === undefined) return rules;
  forEachItem({ tree, path: 'redaction', log }, (item, path) => {
    const before = log.count;
    const { path: by, pattern, queue, replaceWith } = readFields({ tree: item, path, log }, REDACTION_FIELDS);
    if (log.count > before) return;
    const rest = { queue: queue?.value ?? null, replaceWith: replaceWith?.value ?? REDACTED };
    if (by !== undefined && pattern === undefined) rules.push({ match: { by: 'path', path: by.value }, ...rest });
    else if (pattern !== undefined && by === undefined)
      rules.push({ match: { by: 'pattern', pattern: pattern.value }, ...rest });
    else
      log.add(
        'path-or-pattern',
        item.place,
        path,
        'needs either path or pattern',
        by === undefined ? 'add one of them' : 'make two entries of it',
      );
  });
  return rules;
}

/** `data.cards[*].number` as [data, cards, *, number]; null when it is no path. */
export function parseRedactionPath(written: string): RedactionPath | null {
  if (written.length > 500) return null;
  const segments: string[] = [];
  const segment = /\.?([^.[\]"*\s]+|\*\*?)|\[(\d+|\*)\]|\["((?:[^"\\]|\\.)+)"\]/uy;
  while (segment.lastIndex < written.length) {
    const start = segment.lastIndex;
    const found = segment.exec(written);
    if (found === null) return null;
    const [whole, bare, index, quoted] = found;
    // A dot separates: none before the first key, one before every other.
    if (bare !== undefined && whole.startsWith('.') === (start === 0)) return null;
    segments.push(bare ?? index ?? (quoted ?? '').replace(/\\(.)/gu, '$1'));
  }
  return segments.length === 0 ? null : segments;
}
