import { isObject, type JsonObject } from '../json.js';
import type { Span } from './json-text.js';
import type { TextMember, TextNode } from './json-tree.js';

/**
 * The text of an object or array that was changed, with the words of the old text for all that stayed: keys, white space,
 * and of each value what `spell` gives for it and the node that stood in its place (undefined: it is new).
 */
export type Spell = (value: unknown, before: TextNode | undefined) => string;

/** The text of `value`, which took the place of an object's or array's node; undefined where it is of another kind. */
export function respelled(text: string, before: TextNode, value: unknown, spell: Spell): string | undefined {
  if (Array.isArray(value)) return before.items === undefined ? undefined : arrayText(text, before, value, spell);
  return isObject(value) && before.members !== undefined ? objectText(text, before, value, spell) : undefined;
}

function arrayText(text: string, before: TextNode, values: readonly unknown[], spell: Spell): string {
  const items = before.items ?? [];
  const pieces = values.map((value, i) => ({ place: i, text: spell(value, items[i]) }));
  return joined(text, before, items, pieces);
}

function objectText(text: string, before: TextNode, value: JsonObject, spell: Spell): string {
  const members = before.members ?? [];
  const last = new Map(members.map((member, place) => [member.key, place]));
  const kept = members.flatMap((member, place) => {
    const { key, node } = member;
    if (!Object.hasOwn(value, key)) return [];
    const counts = members[last.get(key) ?? place];
    if (counts === member) return [{ place, text: keyText(text, member) + spell(value[key], node) }];
    // Of keys that occur twice the last one counts: the others stay only beside one that stays.
    return value[key] === counts?.node.value ? [{ place, text: text.slice(member.from, member.to) }] : [];
  });
  const colon = members[0] === undefined ? ':' : colonText(text, members[0]);
  const added = Object.keys(value)
    .filter((key) => !last.has(key))
    .map((key, i) => ({ place: members.length + i, text: JSON.stringify(key) + colon + spell(value[key], undefined) }));
  return joined(text, before, members, [...kept, ...added]);
}

interface Piece {
  /** Of the old part in whose place it stands; behind the last one it is new. */
  readonly place: number;
  readonly text: string;
}

/** The pieces between the brackets of old, with the white space and commas that stood around their places. */
function joined(text: string, { from, to }: Span, parts: readonly Span[], pieces: readonly Piece[]): string {
  if (pieces.length === 0) return parts.length === 0 ? text.slice(from, to) : text.charAt(from) + text.charAt(to - 1);
  const first = parts[0];
  const last = parts.at(-1);
  const open = first === undefined ? text.charAt(from) : text.slice(from, first.from);
  const close = last === undefined ? text.charAt(to - 1) : text.slice(last.to, to);
  const commaBefore = (place: number): string => {
    const at = Math.min(place, parts.length - 1);
    const [left, right] = [parts[at - 1], parts[at]];
    return left === undefined || right === undefined ? ',' : text.slice(left.to, right.from);
  };
  return open + pieces.map((piece, i) => (i === 0 ? '' : commaBefore(piece.place)) + piece.text).join('') + close;
}

/** The key and the colon, as they stand. */
function keyText(text: string, { from, node }: TextMember): string {
  return text.slice(from, node.from);
}

/** The colon and the white space around it. */
function colonText(text: string, member: TextMember): string {
  const head = keyText(text, member);
  return head.slice(head.lastIndexOf('"') + 1);
}
