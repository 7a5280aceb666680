import { setOwn, type JsonObject } from '../json.js';
import type { Redactor } from '../redaction/redactor.js';
import { jsonTree, type TextTree } from '../source/json-tree.js';
import { respelled, type Spell } from '../source/respell.js';
import type { WireEvent } from './event-types.js';

export interface BodySource {
  /** The member of `data`. */
  readonly member: string;
  /** Its JSON text, as sent. */
  readonly text: string;
}

export interface RedactedEvent {
  readonly kept: WireEvent;
  readonly cut: readonly string[];
  /** The body's JSON text after redaction; undefined: as `JSON.stringify` writes its value. */
  readonly text: string | undefined;
}

const NOTHING: readonly string[] = [];

/**
 * Redacts an event, and the text of its body with it: what no rule touches stays byte for byte, and around it only the
 * touched values are written anew.
 *
 * A text may say more than the value that was read from it: the first of two members of one name, digits that a double
 * has lost. So the rules are also asked about that, and where one of them touches a body that names something twice,
 * only its last is kept.
 */
export function redactEvent(event: WireEvent, redactor: Redactor, schema: object, source: BodySource | undefined): RedactedEvent {
  if (!redactor.active) return { kept: event, cut: NOTHING, text: source?.text };
  // What most programs write has no other text than its value's.
  if (source === undefined || JSON.stringify(event.data[source.member]) === source.text) return asValue(event, redactor, schema);
  const tree = jsonTree(source.text, { repeated: 'all' });
  const { value, cut } = redactor.event(withBody(event, source.member, tree.root.value), schema);
  const kept = value as WireEvent;
  const body = kept.data[source.member];
  if (body === tree.root.value) return { kept, cut, text: source.text };
  return tree.repeats ? asValue(event, redactor, schema) : { kept, cut, text: textOf(tree, body) };
}

function asValue(event: WireEvent, redactor: Redactor, schema: object): RedactedEvent {
  const { value, cut } = redactor.event(event, schema);
  return { kept: value as WireEvent, cut, text: undefined };
}

function withBody(event: WireEvent, member: string, body: unknown): WireEvent {
  const data: JsonObject = {};
  for (const key of Object.keys(event.data)) setOwn(data, key, key === member ? body : event.data[key]);
  const copy: JsonObject = {};
  for (const key of Object.keys(event)) setOwn(copy, key, key === 'data' ? data : event[key]);
  return copy as WireEvent;
}

function textOf({ text, root }: TextTree, value: unknown): string {
  const spell: Spell = (after, before) => {
    if (before === undefined) return JSON.stringify(after);
    if (after === before.value) return text.slice(before.from, before.to);
    return respelled(text, before, after, spell) ?? JSON.stringify(after);
  };
  return spell(value, root);
}
