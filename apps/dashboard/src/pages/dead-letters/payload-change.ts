import { deadLetters } from '../../text/dead-letters';
import { count, visible } from '../../text/format';
import { patchBetween, type PatchOp } from './json-patch';
import { KeyTwice, MOST_DEEP, parseTree, TooDeep, type Json } from './json-tree';

const { patch: text } = deadLetters;
/** More is worked out at every key that is pressed, and is no pleasure in a text field. */
const MOST_CHARACTERS = 250_000;

/** What was typed against what it was: the operations, or in words why there are none. */
export type PayloadChange = { readonly ops: readonly PatchOp[]; readonly fault: null } | { readonly ops: null; readonly fault: string };

/** The payload, or in words why it cannot be edited as JSON. */
export function treeOf(bytes: string): Json | string {
  try {
    return parseTree(bytes);
  } catch (error) {
    return faultOf(error);
  }
}

export function changeOf(before: Json, typed: string): PayloadChange {
  if (typed.length > MOST_CHARACTERS) return { ops: null, fault: text.long(count(typed.length), count(MOST_CHARACTERS)) };
  try {
    return { ops: patchBetween(before, parseTree(typed)), fault: null };
  } catch (error) {
    return { ops: null, fault: faultOf(error) };
  }
}

function faultOf(error: unknown): string {
  if (error instanceof KeyTwice) return text.twice(visible(error.key));
  if (error instanceof TooDeep) return text.deep(count(MOST_DEEP));
  return text.wrong(visible(error instanceof Error ? error.message : String(error)));
}
