import type { FaultLog } from './fault-log.js';
import type { Reader } from './readers.js';
import { suggestFor } from './suggest.js';
import { childPath, type MapEntry, type Place, type Tree } from './yaml-tree.js';

/** One setting: how it is read, what it is when nobody writes it, and what the reference page says. */
export interface Field<Value> {
  readonly reader: Reader<Value>;
  /** The default as it would be written in the file, or null where there is none. */
  readonly written: string | number | boolean | null;
  readonly meaning: string;
  /** Unit of a bare number; durations and sizes carry theirs. */
  readonly unit?: string;
}

/** Settings by name; a dot in a name is a level of nesting in the file. */
export type FieldTable<Settings> = { readonly [Key in keyof Settings]: Field<Settings[Key]> };

export function field<Value>(
  written: Field<Value>['written'],
  reader: Reader<Value>,
  meaning: string,
  unit?: string,
): Field<Value> {
  return unit === undefined ? { reader, written, meaning } : { reader, written, meaning, unit };
}

/** A value with the place it was written at. */
export interface Placed<Value> {
  readonly value: Value;
  readonly place: Place;
  readonly path: string;
}

export type PlacedSettings<Settings> = { -readonly [Key in keyof Settings]?: Placed<Settings[Key]> };

/** Keys of a map that are no settings, each with its own reader. */
export type OtherKeys = ReadonlyMap<string, (entry: MapEntry, path: string) => void>;

const NO_OTHERS: OtherKeys = new Map();

/** Reads the map at `path` by its table; everything that does not fit is logged, the rest is returned. */
export function readFields<Settings extends object>(
  at: { readonly tree: Tree; readonly path: string; readonly log: FaultLog },
  table: FieldTable<Settings>,
  others: OtherKeys = NO_OTHERS,
): PlacedSettings<Settings> {
  const found: PlacedSettings<Settings> = {};
  const names = Object.keys(table);
  const walk = (tree: Tree, path: string, prefix: string): void => {
    const known = [...new Set(names.filter((name) => name.startsWith(prefix)).map((name) => headOf(name, prefix)))];
    if (prefix === '') known.push(...[...others.keys()].filter((key) => !known.includes(key)));
    forEachEntry({ tree, path, log: at.log }, (entry, entryPath) => {
      const name = `${prefix}${entry.key}`;
      const other = prefix === '' ? others.get(entry.key) : undefined;
      if (other !== undefined) other(entry, entryPath);
      else if (Object.hasOwn(table, name))
        readInto(found, name as keyof Settings, { entry, path: entryPath, table, log: at.log });
      else if (known.includes(entry.key)) walk(entry.value, entryPath, `${name}.`);
      else at.log.add('unknown-key', entry.place, entryPath, 'is not a known key', suggestFor(entry.key, known));
    });
  };
  walk(at.tree, at.path, '');
  return found;
}

/** `backoff.` of `backoff.initial` is `initial`; without a prefix it is `backoff`. */
function headOf(name: string, prefix: string): string {
  return name.slice(prefix.length).split('.', 1)[0] ?? '';
}

// eslint-disable-next-line @typescript-eslint/no-unnecessary-type-parameters -- ties the value to its key
function readInto<Settings, Key extends keyof Settings>(
  found: PlacedSettings<Settings>,
  key: Key,
  at: { entry: MapEntry; path: string; table: FieldTable<Settings>; log: FaultLog },
): void {
  const { entry, path } = at;
  const reading = at.table[key].reader.read(entry.value);
  if (reading.ok) found[key] = { value: reading.value, place: entry.place, path };
  else at.log.add('bad-value', entry.value.place, path, reading.rule, reading.mend);
}

/** Calls back for each key of a map. Nothing at all (`queues:`) is an empty map. */
export function forEachEntry(
  at: { readonly tree: Tree; readonly path: string; readonly log: FaultLog },
  visit: (entry: MapEntry, path: string) => void,
): void {
  const { tree, path, log } = at;
  if (tree.kind === 'map') {
    for (const entry of tree.entries) visit(entry, childPath(path, entry.key));
  } else if (tree.kind === 'list' || tree.value !== null) {
    log.add(
      'not-a-map',
      tree.place,
      path,
      `must be a map, is a ${tree.kind === 'list' ? 'list' : 'single value'}`,
      'write `key: value` lines below it',
    );
  }
}

/** Calls back for each element of a list. Nothing at all (`tokens:`) is an empty list. */
export function forEachItem(
  at: { readonly tree: Tree; readonly path: string; readonly log: FaultLog },
  visit: (item: Tree, path: string) => void,
): void {
  const { tree, path, log } = at;
  if (tree.kind === 'list') {
    for (const [index, item] of tree.items.entries()) visit(item, `${path}[${String(index)}]`);
  } else if (tree.kind === 'map' || tree.value !== null) {
    log.add('not-a-list', tree.place, path, 'must be a list', 'begin each entry with "- "');
  }
}

/** The value that `written` stands for: the default goes through the same reader as the file. */
export function defaultOf<Value>(field: Field<Value>): Value {
  const tree: Tree = {
    kind: 'scalar',
    value: field.written,
    text: String(field.written),
    place: { line: 1, column: 1 },
  };
  const reading = field.reader.read(tree);
  if (!reading.ok) throw new Error(`built-in default ${tree.text}: ${reading.rule}`);
  return reading.value;
}
