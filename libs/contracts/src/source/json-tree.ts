import { leafExactly, setOwn, type JsonObject } from '../json.js';
import { afterSpace, closingQuote, endOfValue, keyOf, type Span } from './json-text.js';

/** A value and where it stands in its text. */
export interface TextNode extends Span {
  readonly value: unknown;
  /** Of an object, in the order of the text; a key that occurs twice is there twice. */
  readonly members?: readonly TextMember[];
  /** Of an array. */
  readonly items?: readonly TextNode[];
}

/** `from` is where its key begins, `to` where its value ends. */
export interface TextMember extends Span {
  readonly key: string;
  readonly node: TextNode;
}

export interface TextTree {
  readonly text: string;
  readonly root: TextNode;
  /** Some object names a key twice. */
  readonly repeats: boolean;
}

export interface TreeOptions {
  /** The value of a string, number or name, from its text. Default: as `JSON.parse` has it, numbers exactly. */
  readonly leaf?: (source: string) => unknown;
  /** What stands for a key that occurs twice: the last value (default), or the list of all. */
  readonly repeated?: 'last' | 'all';
}

/** Reads JSON text that `JSON.parse` has taken, and keeps of every value where it stands. */
export function jsonTree(text: string, options: TreeOptions = {}): TextTree {
  const reader = new TreeReader(text, options.leaf ?? leafExactly, options.repeated === 'all');
  const root = reader.node(afterSpace(text, 0));
  return { text, root, repeats: reader.repeats };
}

class TreeReader {
  repeats = false;

  constructor(
    private readonly text: string,
    private readonly leaf: (source: string) => unknown,
    private readonly all: boolean,
  ) {}

  node(from: number): TextNode {
    const first = this.text.charCodeAt(from);
    if (first === 0x7b) return this.object(from);
    if (first === 0x5b) return this.array(from);
    const to = endOfValue(this.text, from);
    return { from, to, value: this.leaf(this.text.slice(from, to)) };
  }

  private array(from: number): TextNode {
    const items: TextNode[] = [];
    let i = afterSpace(this.text, from + 1);
    while (this.text.charCodeAt(i) !== 0x5d) {
      const item = this.node(i);
      items.push(item);
      i = this.next(item.to);
    }
    return { from, to: i + 1, items, value: items.map((item) => item.value) };
  }

  private object(from: number): TextNode {
    const members: TextMember[] = [];
    let i = afterSpace(this.text, from + 1);
    while (this.text.charCodeAt(i) !== 0x7d) {
      const key = { from: i, to: closingQuote(this.text, i) + 1 };
      const node = this.node(afterSpace(this.text, afterSpace(this.text, key.to) + 1));
      members.push({ from: i, to: node.to, key: keyOf(this.text, key), node });
      i = this.next(node.to);
    }
    return { from, to: i + 1, members, value: this.valueOf(members) };
  }

  /** Behind the comma, or at the bracket. */
  private next(at: number): number {
    const i = afterSpace(this.text, at);
    return this.text.charCodeAt(i) === 0x2c ? afterSpace(this.text, i + 1) : i;
  }

  private valueOf(members: readonly TextMember[]): JsonObject {
    const value: JsonObject = {};
    for (const { key, node } of members) setOwn(value, key, node.value);
    if (Object.keys(value).length === members.length) return value;
    this.repeats = true;
    if (this.all) for (const [key, values] of byKey(members)) if (values.length > 1) setOwn(value, key, values);
    return value;
  }
}

function byKey(members: readonly TextMember[]): Map<string, unknown[]> {
  const values = new Map<string, unknown[]>();
  for (const { key, node } of members) {
    const seen = values.get(key);
    if (seen === undefined) values.set(key, [node.value]);
    else seen.push(node.value);
  }
  return values;
}
