import { isAlias, isMap, isScalar, isSeq, LineCounter, parseDocument, type Document, type Node } from 'yaml';
import type { FaultLog } from './fault-log.js';

/**
 * A YAML text as a plain tree in which every value knows its place, so that a fault found anywhere later can
 * name its line. Bounded before anything looks at it: size, depth, and how much aliases may multiply.
 */
export interface Place {
  readonly line: number;
  readonly column: number;
}

export interface ScalarTree {
  readonly kind: 'scalar';
  readonly value: string | number | boolean | null;
  /** As written: "007" stays "007" although its value is 7. */
  readonly text: string;
  readonly place: Place;
}

export interface MapEntry {
  readonly key: string;
  readonly place: Place;
  readonly value: Tree;
}

export interface MapTree {
  readonly kind: 'map';
  readonly entries: readonly MapEntry[];
  readonly place: Place;
}

export interface ListTree {
  readonly kind: 'list';
  readonly items: readonly Tree[];
  readonly place: Place;
}

export type Tree = ScalarTree | MapTree | ListTree;

export const MAX_TEXT_BYTES = 4 * 1_048_576;
const MAX_DEPTH = 32;
/** Values that aliases may add. A bomb of nine levels would be a thousand million. */
const MAX_ALIASED = 10_000;
const START: Place = { line: 1, column: 1 };

/** null when the text is no YAML; everything that is wrong with it is in the log. An empty text is an empty map. */
export function readYaml(text: string, log: FaultLog): Tree | null {
  const before = log.count;
  if (Buffer.byteLength(text) > MAX_TEXT_BYTES) {
    log.add(
      'too-large',
      START,
      '',
      `must not be over ${String(MAX_TEXT_BYTES)} bytes`,
      'split the installation or drop entries that equal the defaults',
    );
    return null;
  }
  const lines = new LineCounter();
  const document = parse(text, lines, log);
  if (document === null) return null;
  const place = (offset: number | undefined): Place => {
    const { line, col } = lines.linePos(offset ?? 0);
    return { line: Math.max(1, line), column: Math.max(1, col) };
  };
  for (const error of [...document.errors, ...document.warnings]) {
    log.add(
      `yaml-${error.code.toLowerCase().replaceAll('_', '-')}`,
      place(error.pos[0]),
      '',
      `is not valid YAML: ${error.message}`,
      'mend the syntax; indent with spaces',
    );
  }
  if (log.count > before) return null;
  const root = document.contents;
  const empty: MapTree = { kind: 'map', entries: [], place: START };
  return root === null ? empty : new TreeBuilder(place, log).build(root, 0, '');
}

function parse(text: string, lineCounter: LineCounter, log: FaultLog): Document.Parsed | null {
  try {
    // Keys are checked for repeats below, where both lines are known.
    return parseDocument(text, {
      lineCounter,
      prettyErrors: false,
      stringKeys: true,
      uniqueKeys: false,
      logLevel: 'error',
    });
  } catch {
    // Ten thousand brackets exhaust the parser's stack: its own exception says nothing that helps.
    log.add('unreadable', START, '', 'cannot be read as YAML', 'look for very deep nesting');
    return null;
  }
}

class TreeBuilder {
  /** The last node of each anchor so far: an alias means the one before it. */
  readonly #anchors = new Map<string, Node>();
  readonly #place: (offset: number | undefined) => Place;
  readonly #log: FaultLog;
  #aliased = 0;
  #insideAlias = 0;
  #gaveUp = false;

  constructor(place: (offset: number | undefined) => Place, log: FaultLog) {
    this.#place = place;
    this.#log = log;
  }

  build(node: Node | null | undefined, depth: number, path: string): Tree {
    const place = this.#place(node?.range?.[0]);
    const nothing: ScalarTree = { kind: 'scalar', value: null, text: '', place };
    if (this.#gaveUp || !this.#mayGoOn(place, depth, path)) return nothing;
    if (isAlias(node)) return this.#follow(node.source, depth, path, nothing);
    if (node?.anchor !== undefined && this.#insideAlias === 0) this.#anchors.set(node.anchor, node);
    if (isMap<Node, Node | null>(node)) {
      const entries = node.items.map((pair) => this.#entry(pair.key, pair.value, depth, path));
      this.#refuseRepeats(entries, path);
      return { kind: 'map', entries, place };
    }
    if (isSeq<Node | null>(node)) {
      const items = node.items.map((item, index) => this.build(item, depth + 1, `${path}[${String(index)}]`));
      return { kind: 'list', items, place };
    }
    return isScalar(node) ? { ...nothing, ...scalarValue(node.value, node.source) } : nothing;
  }

  #entry(key: Node, value: Node | null, depth: number, path: string): MapEntry {
    // `stringKeys` has turned every plain key into a string and refused the others.
    const name = isScalar(key) ? String(key.value) : '';
    const place = this.#place(key.range?.[0]);
    return { key: name, place, value: this.build(value, depth + 1, childPath(path, name)) };
  }

  #follow(anchor: string, depth: number, path: string, nothing: ScalarTree): Tree {
    const target = this.#anchors.get(anchor);
    if (target === undefined) {
      this.#log.add(
        'unknown-alias',
        nothing.place,
        path,
        `*${anchor} has no &${anchor} before it`,
        'write the value out',
      );
      return nothing;
    }
    this.#insideAlias += 1;
    const tree = this.build(target, depth + 1, path);
    this.#insideAlias -= 1;
    return tree;
  }

  #mayGoOn(place: Place, depth: number, path: string): boolean {
    if (this.#insideAlias > 0) this.#aliased += 1;
    if (this.#aliased > MAX_ALIASED) {
      this.#gaveUp = true;
      this.#log.add(
        'alias-bomb',
        place,
        path,
        `aliases add more than ${String(MAX_ALIASED)} values`,
        'write the values out',
      );
    } else if (depth > MAX_DEPTH) {
      this.#gaveUp = true;
      this.#log.add(
        'too-deep',
        place,
        path,
        `is nested more than ${String(MAX_DEPTH)} deep`,
        'a policy needs six levels at most; look for an alias to itself',
      );
    }
    return !this.#gaveUp;
  }

  #refuseRepeats(entries: readonly MapEntry[], path: string): void {
    const seen = new Map<string, MapEntry>();
    for (const entry of entries) {
      const first = seen.get(entry.key);
      if (first === undefined) {
        seen.set(entry.key, entry);
        continue;
      }
      const rule = `is written twice, first in line ${String(first.place.line)}`;
      this.#log.add('duplicate-key', entry.place, childPath(path, entry.key), rule, 'keep one of the two');
    }
  }
}

function scalarValue(value: unknown, source: string | undefined): Pick<ScalarTree, 'value' | 'text'> {
  if (typeof value === 'string') return { value, text: value };
  if (typeof value === 'number' || typeof value === 'boolean') return { value, text: source ?? String(value) };
  return { value: null, text: source ?? '' };
}

/** `queues.emails.lease`; names that would be ambiguous are quoted: `queues["a.b"].lease`. */
export function childPath(path: string, key: string): string {
  const shown = key.length > 100 ? `${key.slice(0, 100)}…` : key;
  if (!/^[\w-]+$/.test(shown)) return `${path}[${JSON.stringify(shown)}]`;
  return path === '' ? shown : `${path}.${shown}`;
}
