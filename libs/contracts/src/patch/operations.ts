import { scanJson } from '../http/read-json.js';
import { isObject } from '../json.js';
import { jsonTree, type TextNode } from '../source/json-tree.js';
import { patchFault, type PatchFault } from './fault.js';
import { pointerTokens } from './pointer.js';

export const PATCH_OPERATIONS = ['add', 'remove', 'replace', 'move', 'copy', 'test'] as const;
type OperationName = (typeof PATCH_OPERATIONS)[number];

/** One operation, checked by itself. Values are trees whose leaves are the words of the patch. */
export interface PatchOperation {
  readonly op: OperationName;
  readonly path: string;
  readonly tokens: readonly string[];
  readonly from?: string;
  readonly fromTokens?: readonly string[];
  readonly value?: unknown;
  /** Of the value's text. */
  readonly length: number;
}

const NEEDS_VALUE: ReadonlySet<OperationName> = new Set(['add', 'replace', 'test']);
const NEEDS_FROM: ReadonlySet<OperationName> = new Set(['move', 'copy']);

/** What every object inherits, whatever its JSON says. */
const INHERITED: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype']);

/** Far above what a body may have, and far below where the stack ends. */
const NESTING = 256;

/** A string, number or name as a leaf: unlike any other, and known by its words. */
export const leafOf = (source: string): symbol => Symbol(source);

/** Reads the text of a JSON Patch. Throws SyntaxError on what is no JSON. */
export function readOperations(text: string, most: number): readonly PatchOperation[] | PatchFault {
  JSON.parse(text);
  const { depth } = scanJson(text);
  if (depth > NESTING) return patchFault('patch_invalid', null, null, `objects and arrays lie ${String(depth)} deep in it, and no body may be so deep`);
  const { root } = jsonTree(text, { leaf: leafOf });
  if (root.items === undefined) return patchFault('patch_invalid', null, null, 'a JSON Patch is an array of operations');
  if (root.items.length > most) {
    return patchFault('patch_too_long', null, null, `it has ${String(root.items.length)} operations, at most ${String(most)} are taken`);
  }
  const operations: PatchOperation[] = [];
  for (const [i, item] of root.items.entries()) {
    const operation = readOperation(item, i);
    if ('ok' in operation) return operation;
    operations.push(operation);
  }
  return operations;
}

function readOperation(node: TextNode, index: number): PatchOperation | PatchFault {
  if (node.members === undefined) return patchFault('patch_invalid', index, null, 'an operation is an object with `op` and `path`');
  const member = (name: string) => node.members?.findLast(({ key }) => key === name)?.node;
  const op = PATCH_OPERATIONS.find((name) => name === stringOf(member('op')));
  if (op === undefined) return patchFault('patch_invalid', index, null, `\`op\` is one of ${PATCH_OPERATIONS.join(', ')}`);
  const path = pointerOf(member('path'), 'path', index);
  if ('ok' in path) return path;
  const from = NEEDS_FROM.has(op) ? pointerOf(member('from'), 'from', index) : undefined;
  if (from !== undefined && 'ok' in from) return from;
  const value = NEEDS_VALUE.has(op) ? member('value') : undefined;
  if (NEEDS_VALUE.has(op) && value === undefined) return patchFault('patch_invalid', index, path.text, `\`${op}\` needs a \`value\``);
  if (value !== undefined && namesInherited(value.value)) {
    return patchFault('patch_path_refused', index, path.text, 'its value has a key `__proto__`, which no patch may write');
  }
  return {
    ...{ op, path: path.text, tokens: path.tokens, length: value === undefined ? 0 : value.to - value.from },
    ...(from !== undefined && { from: from.text, fromTokens: from.tokens }),
    ...(value !== undefined && { value: value.value }),
  };
}

function pointerOf(node: TextNode | undefined, name: string, index: number): { text: string; tokens: readonly string[] } | PatchFault {
  const text = stringOf(node);
  if (text === undefined) return patchFault('patch_invalid', index, null, `\`${name}\` is missing, or no string`);
  const tokens = pointerTokens(text);
  if (tokens === null) return patchFault('patch_invalid', index, text, `\`${name}\` is no JSON Pointer: empty, or \`/\` before each part, with ~0 for ~ and ~1 for /`);
  const inherited = tokens.find((token) => INHERITED.has(token));
  if (inherited === undefined) return { text, tokens };
  return patchFault('patch_path_refused', index, text, `\`${name}\` names \`${inherited}\`, which every object inherits and no patch may touch`);
}

/** The string that a leaf is. */
function stringOf(node: TextNode | undefined): string | undefined {
  const source = typeof node?.value === 'symbol' ? (node.value.description ?? '') : '';
  return source.startsWith('"') ? (JSON.parse(source) as string) : undefined;
}

function namesInherited(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(namesInherited);
  return isObject(value) && (Object.hasOwn(value, '__proto__') || Object.values(value).some(namesInherited));
}
