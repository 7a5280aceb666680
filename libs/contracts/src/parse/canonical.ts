import { isRawNumber, setOwn, type JsonObject } from '../json.js';

/**
 * Canonical JSON text: keys in one fixed order, no spaces. Two values have the same text when they mean the same,
 * whatever the order of their keys; it is what is hashed to tell a repeat from a reused id, and what the log stores.
 *
 * The order is that of an object whose keys were added sorted: whole numbers first, then the rest by UTF-16 unit.
 * Ordering a copy and leaving the text to `JSON.stringify` takes half the time of writing it piece by piece.
 */

/** Why a value has no text. */
export type Untextable = 'too_deep' | 'not_finite';

class Untextual extends Error {
  constructor(readonly reason: Untextable) {
    super(reason);
  }
}
const TOO_DEEP = new Untextual('too_deep');
const NOT_FINITE = new Untextual('not_finite');

/** The text, or why there is none. `depth`: objects and arrays allowed inside each other. */
export function canonicalJson(value: unknown, depth: number): { text: string } | { fault: Untextable } {
  try {
    return { text: JSON.stringify(ordered(value, depth)) };
  } catch (error) {
    if (error instanceof Untextual) return { fault: error.reason };
    throw error;
  }
}

function ordered(value: unknown, depth: number): unknown {
  if (typeof value === 'number' && !Number.isFinite(value)) throw NOT_FINITE;
  if (typeof value !== 'object' || value === null) return value;
  if (depth === 0) throw TOO_DEEP;
  return Array.isArray(value) ? orderedArray(value, depth - 1) : orderedObject(value as JsonObject, depth - 1);
}

function orderedArray(value: readonly unknown[], depth: number): readonly unknown[] {
  let copy: unknown[] | undefined;
  for (let i = 0; i < value.length; i += 1) {
    const item = value[i];
    const kept = ordered(item, depth);
    if (kept !== item && copy === undefined) copy = value.slice(0, i);
    copy?.push(kept);
  }
  return copy ?? value;
}

function orderedObject(value: JsonObject, depth: number): JsonObject {
  const keys = Object.keys(value);
  if (keys[0] === 'rawJSON' && isRawNumber(value)) return value;
  let copy: JsonObject | undefined = order(keys) ? undefined : {};
  for (let i = 0; i < keys.length; i += 1) {
    const key = keys[i] ?? '';
    const item = value[key];
    const kept = typeof item === 'string' ? item : ordered(item, depth);
    if (kept !== item) copy ??= upTo(value, keys, key);
    if (copy !== undefined) setOwn(copy, key, kept);
  }
  return copy ?? value;
}

/** The properties that come before `end`. */
function upTo(value: JsonObject, keys: readonly string[], end: string): JsonObject {
  const copy: JsonObject = {};
  for (const key of keys) {
    if (key === end) break;
    setOwn(copy, key, value[key]);
  }
  return copy;
}

const FEW = 32;

/** Sorts in place; answers whether there was nothing to do. By insertion where keys are few: `sort` makes a copy. */
function order(keys: string[]): boolean {
  let ordered = true;
  for (let i = 1; i < keys.length; i += 1) {
    const key = keys[i] ?? '';
    let at = i;
    if (keys.length > FEW && key < (keys[i - 1] ?? '')) {
      keys.sort();
      return false;
    }
    for (; at > 0 && (keys[at - 1] ?? '') > key; at -= 1) keys[at] = keys[at - 1] ?? '';
    if (at === i) continue;
    keys[at] = key;
    ordered = false;
  }
  return ordered;
}
