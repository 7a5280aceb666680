import { jsonTree, type TextNode } from '../source/json-tree.js';
import { leafOf } from './operations.js';
import { pointerText } from './pointer.js';
import { sameJson } from './same-json.js';

/** One place at which two bodies differ: what stood there and what stands there, as JSON text; without: nothing. */
export interface BodyChange {
  readonly path: string;
  readonly before?: string;
  readonly after?: string;
}

/** Where two JSON texts mean something else, at most `most` places, the deepest that say it. Elements are compared by their index. */
export function bodyDifference(before: string, after: string, most: number): readonly BodyChange[] {
  const changes: BodyChange[] = [];
  const text = (whole: string, { from, to }: TextNode) => whole.slice(from, to);
  const visit = (a: TextNode | undefined, b: TextNode | undefined, tokens: readonly string[]): void => {
    if (changes.length >= most) return;
    if (a !== undefined && b !== undefined) {
      if (a.items !== undefined && b.items !== undefined) {
        for (let i = 0; i < Math.max(a.items.length, b.items.length); i += 1) visit(a.items[i], b.items[i], [...tokens, String(i)]);
        return;
      }
      if (a.members !== undefined && b.members !== undefined) {
        const [left, right] = [byKey(a), byKey(b)];
        for (const key of new Set([...left.keys(), ...right.keys()])) visit(left.get(key), right.get(key), [...tokens, key]);
        return;
      }
      if (sameJson(a.value, b.value)) return;
    }
    changes.push({ path: pointerText(tokens), ...(a !== undefined && { before: text(before, a) }), ...(b !== undefined && { after: text(after, b) }) });
  };
  visit(jsonTree(before, { leaf: leafOf }).root, jsonTree(after, { leaf: leafOf }).root, []);
  return changes;
}

function byKey({ members = [] }: TextNode): ReadonlyMap<string, TextNode> {
  return new Map(members.map(({ key, node }) => [key, node]));
}
