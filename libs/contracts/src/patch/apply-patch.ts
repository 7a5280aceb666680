import { applyPatch, type Operation } from 'rfc6902';
import { isObject, setOwn, type JsonObject } from '../json.js';
import { jsonTree, type TextNode } from '../source/json-tree.js';
import { respelled, type Spell } from '../source/respell.js';
import { patchFault, type PatchFault } from './fault.js';
import { leafOf, readOperations, type PatchOperation } from './operations.js';
import { placeOf, pointerText, valueAt, type Place } from './pointer.js';
import { sameJson } from './same-json.js';

export interface PatchLimits {
  readonly operations: number;
  /** Of the body's text, while it is patched. */
  readonly bytes: number;
}

export interface Patched {
  readonly ok: true;
  /** The body as it is then. */
  readonly text: string;
  readonly operations: readonly Pick<PatchOperation, 'op' | 'path' | 'from'>[];
}

/** The member of the holder, so that a whole body can be replaced. */
const BODY = 'body';

/**
 * Applies a JSON Patch (RFC 6902) to a JSON text. Every word of the body that no operation touches stays as it is, byte
 * for byte, also in what is moved or copied; new values have the words of the patch.
 *
 * The library moves trees about whose leaves are the words themselves. What it takes for granted is checked before:
 * that a pointer leads to something of the body's own. Throws SyntaxError where a text is no JSON.
 */
export function applyJsonPatch(body: string, patch: string, limits: PatchLimits): Patched | PatchFault {
  const operations = readOperations(patch, limits.operations);
  if ('ok' in operations) return operations;
  const document = new Document(body, limits.bytes);
  for (const [i, operation] of operations.entries()) {
    const fault = document.apply(operation, i);
    if (fault !== null) return fault;
  }
  const named = operations.map(({ op, path, from }) => ({ op, path, ...(from !== undefined && { from }) }));
  return { ok: true, text: document.text(), operations: named };
}

/** Where an object or array was read from. */
interface Origin {
  readonly text: string;
  readonly node: TextNode;
}

class Document {
  private readonly origins = new WeakMap<object, Origin>();
  private readonly holder: JsonObject;
  /** Never less than the text would have. */
  private length: number;

  constructor(
    body: string,
    private readonly most: number,
  ) {
    this.holder = { [BODY]: this.read(body) };
    this.length = body.length;
  }

  text(): string {
    return this.spell(this.holder[BODY], undefined);
  }

  apply(operation: PatchOperation, index: number): PatchFault | null {
    const { op, path, tokens, from, fromTokens = [] } = operation;
    const fails = (why: string, at: string = path) => patchFault('patch_does_not_apply', index, at, `${op} ${at === '' ? 'of the whole body' : at}: ${why}`);
    const place = this.place(tokens);
    if (op === 'test') return this.test(operation, index, place);
    if (op === 'remove' || op === 'replace') {
      if (place?.exists !== true) return fails('there is nothing');
      if (op === 'remove' && tokens.length === 0) return fails('a job keeps a body; discard the job, or replace it');
      if (op === 'remove') this.change({ op, path: this.pointer(tokens) });
      else this.put(op, place, tokens, operation.value);
      return this.grown(operation.length, index, path);
    }
    if (op === 'add') {
      if (place === null) return fails('there is nothing that it could be added to');
      this.put(op, place, tokens, operation.value);
      return this.grown(operation.length, index, path);
    }
    const source = this.place(fromTokens);
    if (source?.exists !== true) return fails('there is nothing to take', from);
    if (op === 'move' && isInside(tokens, fromTokens)) return fails('it would be moved into itself');
    const value = op === 'move' ? valueAt(source) : this.read(this.spell(valueAt(source), undefined));
    if (op === 'move') this.change({ op: 'remove', path: this.pointer(fromTokens) });
    // Where something was taken out, others have moved up.
    const target = this.place(tokens);
    if (target === null) return fails('there is nothing that it could be added to');
    this.put('add', target, tokens, value);
    return op === 'move' ? null : this.grown(this.spell(value, undefined).length, index, path);
  }

  private test({ path, value }: PatchOperation, index: number, place: Place | null): PatchFault | null {
    if (place?.exists !== true) return patchFault('patch_test_failed', index, path, `test ${path}: there is nothing`);
    return sameJson(valueAt(place), value) ? null : patchFault('patch_test_failed', index, path, `test ${path === '' ? 'of the whole body' : path}: it is something else`);
  }

  /** The library writes a copy; the tree itself takes its place, since it is known by whom it is. */
  private put(op: 'add' | 'replace', { parent, key }: Place, tokens: readonly string[], value: unknown): void {
    this.change({ op, path: this.pointer(tokens), value });
    if (Array.isArray(parent)) parent[Number(key)] = value;
    else setOwn(parent, key, value);
  }

  private change(operation: Operation): void {
    const [error] = applyPatch(this.holder, [operation]);
    if (error !== null && error !== undefined) throw error;
  }

  private place(tokens: readonly string[]): Place | null {
    return placeOf(this.holder, [BODY, ...tokens]);
  }

  private pointer(tokens: readonly string[]): string {
    return pointerText([BODY, ...tokens]);
  }

  /** Counted exactly only where the bound comes near. */
  private grown(by: number, index: number, path: string): PatchFault | null {
    this.length += by;
    if (this.length > this.most) this.length = Buffer.byteLength(this.text(), 'utf8');
    if (this.length <= this.most) return null;
    return patchFault('payload_too_large', index, path, `the body would have more than ${String(this.most)} bytes (limits.body)`);
  }

  /** A tree whose parts know their words. */
  private read(text: string): unknown {
    const remember = (node: TextNode): void => {
      if (typeof node.value === 'object' && node.value !== null) this.origins.set(node.value, { text, node });
      for (const item of node.items ?? []) remember(item);
      for (const member of node.members ?? []) remember(member.node);
    };
    const { root } = jsonTree(text, { leaf: leafOf });
    remember(root);
    return root.value;
  }

  private readonly spell: Spell = (value) => {
    if (typeof value === 'symbol') return value.description ?? '';
    const origin = typeof value === 'object' && value !== null ? this.origins.get(value) : undefined;
    if (origin !== undefined) return respelled(origin.text, origin.node, value, this.spell) ?? '';
    if (Array.isArray(value)) return `[${value.map((item) => this.spell(item, undefined)).join(',')}]`;
    const members = isObject(value) ? Object.entries(value) : [];
    return `{${members.map(([key, item]) => `${JSON.stringify(key)}:${this.spell(item, undefined)}`).join(',')}}`;
  };
}

function isInside(tokens: readonly string[], of: readonly string[]): boolean {
  return tokens.length > of.length && of.every((token, i) => token === tokens[i]);
}
