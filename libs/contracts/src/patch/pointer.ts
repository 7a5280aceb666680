import { isObject, type JsonObject } from '../json.js';

/** The parts of a JSON Pointer (RFC 6901); null: it is none. */
export function pointerTokens(pointer: string): readonly string[] | null {
  if (pointer === '') return [];
  if (!pointer.startsWith('/') || /~(?![01])/u.test(pointer)) return null;
  return pointer.slice(1).split('/').map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'));
}

export function pointerText(tokens: readonly string[]): string {
  return tokens.map((token) => `/${token.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}

/** Where a pointer leads: the object or array that holds its last part, and whether there is something there. */
export interface Place {
  readonly parent: JsonObject | unknown[];
  /** An index is within the array, or at its end; `-` has become that end. */
  readonly key: string;
  readonly exists: boolean;
}

/**
 * The place, taken literally: own members and whole indexes only, where the library also finds what objects inherit and
 * the letters of a string. null: nothing could stand there.
 */
export function placeOf(document: unknown, tokens: readonly string[]): Place | null {
  let parent = document;
  for (const token of tokens.slice(0, -1)) {
    const place = childOf(parent, token);
    if (place?.exists !== true) return null;
    parent = (place.parent as JsonObject)[place.key];
  }
  return childOf(parent, tokens.at(-1) ?? '');
}

function childOf(parent: unknown, token: string): Place | null {
  if (Array.isArray(parent)) {
    const key = token === '-' ? String(parent.length) : token;
    if (!/^(?:0|[1-9]\d{0,9})$/u.test(key) || Number(key) > parent.length) return null;
    return { parent: parent as unknown[], key, exists: Number(key) < parent.length };
  }
  return isObject(parent) ? { parent, key: token, exists: Object.hasOwn(parent, token) } : null;
}

/** What stands at an existing place. */
export function valueAt({ parent, key }: Place): unknown {
  return (parent as JsonObject)[key];
}
