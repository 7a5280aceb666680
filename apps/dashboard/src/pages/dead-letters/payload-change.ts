import { deadLetters } from '../../text/dead-letters';
import { visible } from '../../text/format';
import { patchBetween, type PatchOp } from './json-patch';
import { KeyTwice, parseTree, type Json } from './json-tree';

const { patch: text } = deadLetters;

/** What was typed against what it was: the operations, or in words why there are none. */
export type PayloadChange = { readonly ops: readonly PatchOp[]; readonly fault: null } | { readonly ops: null; readonly fault: string };

/** null: it cannot be edited as JSON. */
export function treeOf(bytes: string): Json | null {
  try {
    return parseTree(bytes);
  } catch {
    return null;
  }
}

export function changeOf(before: Json, typed: string): PayloadChange {
  try {
    return { ops: patchBetween(before, parseTree(typed)), fault: null };
  } catch (error) {
    if (error instanceof KeyTwice) return { ops: null, fault: text.twice(visible(error.key)) };
    return { ops: null, fault: text.wrong(visible(error instanceof Error ? error.message : String(error))) };
  }
}
