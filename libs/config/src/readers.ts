import { didYouMean } from './suggest.js';
import { formatDuration, formatSize, MAX_DURATION_MS, parseDuration, parseSize } from './quantities.js';
import type { Tree } from './yaml-tree.js';

/** What one value of the policy file may be: read it, and say it on the reference page. */
export interface Reader<Value> {
  /** One word for the reference page: duration, number, word … */
  readonly type: string;
  /** What is accepted, for the reference page. */
  readonly rule: string;
  readonly read: (tree: Tree) => Reading<Value>;
}

export type Reading<Value> =
  { readonly ok: true; readonly value: Value } | { readonly ok: false; readonly rule: string; readonly mend: string };

export interface Range {
  readonly min: number;
  readonly max: number;
}

function refuse(rule: string, mend: string): { ok: false; rule: string; mend: string } {
  return { ok: false, rule, mend };
}

/** Enough of a value to recognise it. Readers of secrets do not use it. */
export function shown(tree: Tree): string {
  if (tree.kind !== 'scalar') return tree.kind === 'map' ? 'a map' : 'a list';
  if (tree.value === null) return 'empty';
  return JSON.stringify(tree.text.length > 60 ? `${tree.text.slice(0, 60)}…` : tree.text);
}

export function duration(bounds: Partial<Range> = {}): Reader<number> {
  const { min = 0, max = MAX_DURATION_MS } = bounds;
  const rule = `${formatDuration(min)} to ${formatDuration(max)}`;
  return {
    type: 'duration',
    rule,
    read(tree) {
      const text = tree.kind === 'scalar' ? tree.text : '';
      const ms = parseDuration(text);
      if (ms === null) {
        const bare = tree.kind === 'scalar' && typeof tree.value === 'number';
        const mend = bare ? `add the unit: ${text}ms, ${text}s or ${text}m` : 'write it as 500ms, 30s, 1h30m or 20d';
        return refuse(`must be a duration, is ${shown(tree)}`, mend);
      }
      if (ms >= min && ms <= max) return { ok: true, value: ms };
      return refuse(
        `must be ${rule}, is ${text}`,
        ms < min ? `write at least ${formatDuration(min)}` : `write at most ${formatDuration(max)}`,
      );
    },
  };
}

export function size(bounds: Range): Reader<number> {
  const rule = `${formatSize(bounds.min)} to ${formatSize(bounds.max)}`;
  return {
    type: 'size',
    rule,
    read(tree) {
      const written = tree.kind === 'scalar' ? tree.value : null;
      const bytes = typeof written === 'number' && Number.isInteger(written) ? written : parseSize(String(written));
      if (bytes === null) return refuse(`must be a size, is ${shown(tree)}`, 'write bytes as a number, or 64KiB, 1MiB');
      if (bytes >= bounds.min && bytes <= bounds.max) return { ok: true, value: bytes };
      return refuse(`must be ${rule}, is ${formatSize(bytes)}`, `write a size of ${rule}`);
    },
  };
}

export function integer(bounds: Range): Reader<number> {
  const rule = `whole, ${String(bounds.min)} to ${String(bounds.max)}`;
  return {
    type: 'number',
    rule,
    read(tree) {
      const value = tree.kind === 'scalar' ? tree.value : null;
      if (typeof value === 'number' && Number.isInteger(value) && value >= bounds.min && value <= bounds.max) {
        return { ok: true, value };
      }
      const range = `${String(bounds.min)} to ${String(bounds.max)}`;
      return refuse(`must be a whole number from ${range}, is ${shown(tree)}`, `write a number from ${range}`);
    },
  };
}

/** A number in (min, max], or [min, max] with `open: false`. */
export function number(bounds: Range & { readonly open: boolean }): Reader<number> {
  const { min, max, open } = bounds;
  const rule = open ? `over ${String(min)}, at most ${String(max)}` : `${String(min)} to ${String(max)}`;
  return {
    type: 'number',
    rule,
    read(tree) {
      const value = tree.kind === 'scalar' ? tree.value : null;
      const fits = typeof value === 'number' && value <= max && (open ? value > min : value >= min);
      return fits
        ? { ok: true, value }
        : refuse(`must be a number, ${rule}, is ${shown(tree)}`, `write a number ${rule}`);
    },
  };
}

export function oneOf<Word extends string>(words: readonly Word[]): Reader<Word> {
  const list = words.join(', ');
  return {
    type: 'word',
    rule: words.map((word) => `\`${word}\``).join(', '),
    read(tree) {
      const text = tree.kind === 'scalar' ? tree.text : '';
      const found = words.find((word) => word === text);
      if (found !== undefined) return { ok: true, value: found };
      const guess = didYouMean(text, words);
      const mend = guess === null ? `write one of ${list}` : `did you mean "${guess}"?`;
      return refuse(`must be one of ${list}, is ${shown(tree)}`, mend);
    },
  };
}

export const yesOrNo: Reader<boolean> = {
  type: 'true or false',
  rule: '`true` or `false`',
  read(tree) {
    if (tree.kind === 'scalar' && typeof tree.value === 'boolean') return { ok: true, value: tree.value };
    return refuse(`must be true or false, is ${shown(tree)}`, 'write true or false, without quotes');
  },
};

export function text(bounds: Range, what = 'text'): Reader<string> {
  return {
    type: 'text',
    rule: `${String(bounds.min)} to ${String(bounds.max)} bytes`,
    read(tree) {
      if (tree.kind !== 'scalar' || tree.value === null) {
        return bounds.min === 0 && tree.kind === 'scalar'
          ? { ok: true, value: '' }
          : refuse(`must be ${what}, is ${shown(tree)}`, `write ${what}`);
      }
      const bytes = Buffer.byteLength(tree.text);
      if (bytes >= bounds.min && bytes <= bounds.max) return { ok: true, value: tree.text };
      const range = `${String(bounds.min)} to ${String(bounds.max)} bytes`;
      return refuse(`must be ${range} long, is ${String(bytes)}`, `write ${what} of ${range}`);
    },
  };
}

/** The reader's value, or a word that stands for none of it: `off`, `none`. */
export function orWord<Value, Instead>(word: string, instead: Instead, reader: Reader<Value>): Reader<Value | Instead> {
  return {
    type: `${reader.type} or \`${word}\``,
    rule: reader.rule,
    read(tree) {
      if (tree.kind === 'scalar' && tree.text === word) return { ok: true, value: instead };
      const reading = reader.read(tree);
      return reading.ok ? reading : refuse(reading.rule, `${reading.mend}, or "${word}"`);
    },
  };
}

/** A list of what the reader accepts, each once; also a single one without brackets. */
export function listOf<Value>(reader: Reader<Value>, least: number): Reader<readonly Value[]> {
  return {
    type: `list of ${reader.type}s`,
    rule: reader.rule,
    read(tree) {
      const items = tree.kind === 'list' ? tree.items : [tree];
      const values = new Set<Value>();
      for (const item of items) {
        const reading = reader.read(item);
        if (!reading.ok) return reading;
        values.add(reading.value);
      }
      if (values.size >= least) return { ok: true, value: [...values] };
      return refuse(`must name at least ${String(least)}`, `add one: ${reader.rule}`);
    },
  };
}

/** `none`, or what it is called. */
export function textOrNone(what: string): Reader<string | null> {
  return orWord('none', null, text({ min: 1, max: 1_024 }, what));
}
