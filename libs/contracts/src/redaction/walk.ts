import { isObject, isRawNumber, setOwn, type JsonObject } from '../json.js';
import { parseRfc3339 } from '../parse/rfc3339.js';
import { IDENTITY } from '../schemas/field.js';
import { step, stepInto, type Place, type Step } from './paths.js';
import { cutText, type PatternRule } from './patterns.js';

/** The part of a JSON Schema that says what is structure and what is content. */
interface Shape {
  readonly type?: string;
  readonly const?: unknown;
  readonly $comment?: string;
  readonly format?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly properties?: Readonly<Record<string, object>>;
  readonly items?: object;
}

interface Here {
  readonly schema: object | undefined;
  readonly places: readonly Place[];
  readonly path: string;
}

const MAX_TOLD = 100;
/** Far above any limit on nesting; beyond it the stack is what would end first. */
const MAX_DEPTH = 1_000;
const TOO_DEEP = '[nested too deep]';

/**
 * One walk over an event. Copies only what it changes.
 *
 * The schema decides what a rule may touch: names (queue, ids, times) and the numbers and flags that the fold reads
 * stay as they are, a container that the fold reads keeps its shape and only what is in it is cut. Everything else is
 * content: payload, progress, unknown fields, and whatever does not fit its schema.
 */
export class Walk {
  readonly cut: string[] = [];
  private depth = 0;

  constructor(private readonly patterns: readonly PatternRule[]) {}

  node(value: unknown, here: Here): unknown {
    if (typeof value === 'string') return isProtected(value, here.schema) ? value : this.text(value, here.path);
    if (typeof value === 'number') return isProtected(value, here.schema) ? value : this.number(String(value), value, here.path);
    if (typeof value !== 'object' || value === null) return value;
    if (isRawNumber(value)) return this.rawNumber(value.rawJSON, value, here.path);
    if (this.patterns.length === 0 && here.places.length === 0) return value;
    return this.deeper(() => (Array.isArray(value) ? this.array(value, here) : this.object(value as JsonObject, here)));
  }

  private object(value: JsonObject, here: Here): JsonObject {
    const properties = (here.schema as Shape | undefined)?.properties;
    const names = new Names();
    let copy: JsonObject | undefined;
    for (const key of Object.keys(value)) {
      const known = properties !== undefined && Object.hasOwn(properties, key) ? properties[key] : undefined;
      const kept = known === undefined ? this.key(key, here.path) : key;
      const child = this.child(value[key], step(here.places, key), known, joined(here.path, kept));
      if (copy === undefined && (kept !== key || child !== value[key])) copy = before(value, key);
      if (copy !== undefined) setOwn(copy, names.free(copy, kept), child);
    }
    return copy ?? value;
  }

  private array(value: readonly unknown[], here: Here): readonly unknown[] {
    const items = (here.schema as Shape | undefined)?.items;
    let copy: unknown[] | undefined;
    for (let i = 0; i < value.length; i += 1) {
      const child = this.child(value[i], stepInto(here.places, i), items, `${here.path}[${i}]`);
      if (copy === undefined && child !== value[i]) copy = value.slice(0, i);
      copy?.push(child);
    }
    return copy ?? value;
  }

  private child(value: unknown, { places, hit }: Step, schema: object | undefined, path: string): unknown {
    if (hit === undefined) return this.node(value, { schema, places, path });
    return this.whole(value, schema, hit.replaceWith, path);
  }

  /** The path of a rule ends here: everything goes, as far as the fold can do without. */
  private whole(value: unknown, schema: object | undefined, replaceWith: string, path: string): unknown {
    if (isProtected(value, schema)) return value;
    const { properties, items } = (schema ?? {}) as Shape;
    if (properties !== undefined && isObject(value)) {
      const names = new Names();
      const copy: JsonObject = {};
      for (const key of Object.keys(value)) {
        const known = Object.hasOwn(properties, key) ? properties[key] : undefined;
        const kept = known === undefined ? this.key(key, path) : key;
        setOwn(copy, names.free(copy, kept), this.whole(value[key], known, replaceWith, joined(path, kept)));
      }
      return copy;
    }
    if (items !== undefined && Array.isArray(value)) {
      return value.map((item, i) => this.whole(item, items, replaceWith, `${path}[${i}]`));
    }
    this.tell(path);
    return replaceWith;
  }

  private text(value: string, path: string): string {
    if (this.patterns.length === 0) return value;
    const kept = cutText(value, this.patterns);
    if (kept !== value) this.tell(path);
    return kept;
  }

  /** A number that a pattern hits becomes text. */
  private number(digits: string, value: unknown, path: string): unknown {
    const kept = this.text(digits, path);
    return kept === digits ? value : kept;
  }

  /** As it is spelled, and as whoever reads it sees it. An integer that a double cannot hold is seen by its digits. */
  private rawNumber(digits: string, value: unknown, path: string): unknown {
    const kept = this.number(digits, value, path);
    return kept !== value || /^-?\d+$/u.test(digits) ? kept : this.number(String(Number(digits)), value, path);
  }

  private key(key: string, path: string): string {
    if (this.patterns.length === 0) return key;
    const kept = cutText(key, this.patterns);
    if (kept !== key) this.tell(`${joined(path, kept)} (key)`);
    return kept;
  }

  private tell(path: string): void {
    if (this.cut.length < MAX_TOLD) this.cut.push(path);
  }

  private deeper(read: () => unknown): unknown {
    if (this.depth >= MAX_DEPTH) return TOO_DEEP;
    this.depth += 1;
    const result = read();
    this.depth -= 1;
    return result;
  }
}

function isProtected(value: unknown, schema: object | undefined): boolean {
  if (schema === undefined) return false;
  const shape = schema as Shape;
  if (typeof value === 'string') {
    // A time is kept as far as it is one.
    if (shape.format === 'date-time') return parseRfc3339(value) !== undefined;
    return shape.$comment === IDENTITY || shape.const === value;
  }
  if (typeof value === 'boolean') return shape.type === 'boolean';
  if (typeof value !== 'number' || (shape.type !== 'integer' && shape.type !== 'number')) return false;
  return value >= (shape.minimum ?? -Infinity) && value <= (shape.maximum ?? Infinity);
}

function joined(path: string, key: string): string {
  return path === '' ? key : `${path}.${key}`;
}

/** The object's properties that come before `key`. */
function before(value: JsonObject, key: string): JsonObject {
  const copy: JsonObject = {};
  for (const other of Object.keys(value)) {
    if (other === key) break;
    setOwn(copy, other, value[other]);
  }
  return copy;
}

/** Two keys may be redacted to the same name: neither value is lost. */
class Names {
  /** From where on a number is looked for: asking all from the first on takes minutes over ten thousand keys. */
  private next: Map<string, number> | undefined;

  free(target: JsonObject, key: string): string {
    if (!Object.hasOwn(target, key)) return key;
    this.next ??= new Map();
    let n = this.next.get(key) ?? 2;
    while (Object.hasOwn(target, `${key}#${n}`)) n += 1;
    this.next.set(key, n + 1);
    return `${key}#${n}`;
  }
}
