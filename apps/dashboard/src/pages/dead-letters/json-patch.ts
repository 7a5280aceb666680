import { textOf, type Json } from './json-tree';

/** An operation of RFC 6902; its value as JSON text, as it is spelled. */
export type PatchOp = { readonly op: 'remove'; readonly path: string } | { readonly op: 'add' | 'replace'; readonly path: string; readonly value: string };

/** What turns the one into the other. Small rather than smallest: of arrays, what stands the same at both ends is left alone. */
export function patchBetween(before: Json, after: Json, path = ''): readonly PatchOp[] {
  if (before.kind === 'object' && after.kind === 'object') return ofObjects(before.members, after.members, path);
  if (before.kind === 'array' && after.kind === 'array') return ofArrays(before.items, after.items, path);
  return same(before, after) ? [] : [{ op: 'replace', path, value: textOf(after) }];
}

function ofObjects(before: ReadonlyMap<string, Json>, after: ReadonlyMap<string, Json>, path: string): readonly PatchOp[] {
  const gone = [...before.keys()].filter((key) => !after.has(key)).map((key): PatchOp => ({ op: 'remove', path: `${path}/${escaped(key)}` }));
  const rest = [...after].flatMap(([key, value]): readonly PatchOp[] => {
    const at = `${path}/${escaped(key)}`;
    const old = before.get(key);
    return old === undefined ? [{ op: 'add', path: at, value: textOf(value) }] : patchBetween(old, value, at);
  });
  return [...gone, ...rest];
}

function ofArrays(before: readonly Json[], after: readonly Json[], path: string): readonly PatchOp[] {
  const shorter = Math.min(before.length, after.length);
  let head = 0;
  while (head < shorter && sameAt(before, head, after, head)) head += 1;
  let tail = 0;
  while (tail < shorter - head && sameAt(before, before.length - 1 - tail, after, after.length - 1 - tail)) tail += 1;
  const [old, fresh] = [before.slice(head, before.length - tail), after.slice(head, after.length - tail)];
  const pairs = Math.min(old.length, fresh.length);
  const at = (i: number): string => `${path}/${String(head + i)}`;
  return [
    ...fresh.slice(0, pairs).flatMap((value, i) => patchBetween(old[i] ?? value, value, at(i))),
    ...old.slice(pairs).map((): PatchOp => ({ op: 'remove', path: at(pairs) })),
    ...fresh.slice(pairs).map((value, i): PatchOp => ({ op: 'add', path: at(pairs + i), value: textOf(value) })),
  ];
}

const same = (a: Json, b: Json): boolean => textOf(a) === textOf(b);

function sameAt(a: readonly Json[], i: number, b: readonly Json[], j: number): boolean {
  const [left, right] = [a[i], b[j]];
  return left !== undefined && right !== undefined && same(left, right);
}

/** As a step of a JSON Pointer (RFC 6901). */
const escaped = (key: string): string => key.replaceAll('~', '~0').replaceAll('/', '~1');

/**
 * As JSON text, with each value as it is spelled. But for half of a surrogate pair, which no encoding of the request can carry: it
 * would arrive as another character.
 */
export const patchText = (ops: readonly PatchOp[]): string =>
  `[${ops.map((op) => `{"op":${JSON.stringify(op.op)},"path":${JSON.stringify(op.path)}${op.op === 'remove' ? '' : `,"value":${op.value}`}}`).join(',')}]`.replaceAll(/\p{Surrogate}/gu, (half) => `\\u${half.charCodeAt(0).toString(16)}`);
