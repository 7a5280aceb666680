/**
 * JSON values as `JSON.parse` gives them, and integers beyond 2⁵³ kept by their digits (`JSON.rawJSON`): read as a
 * double, an order number of 19 digits would come back as another order's.
 */

export type JsonObject = Record<string, unknown>;

interface RawJson {
  readonly rawJSON: string;
}

/** Not in TypeScript's own declarations yet. */
interface JsonWithSource {
  rawJSON(text: string): RawJson;
  isRawJSON(value: unknown): value is RawJson;
  parse(text: string, reviver: (key: string, value: unknown, context: { source?: string }) => unknown): unknown;
}
const json = JSON as unknown as JsonWithSource;

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A number kept by its digits. */
export function isRawNumber(value: object): value is RawJson {
  return 'rawJSON' in value && json.isRawJSON(value);
}

/** `JSON.parse` that keeps the digits of integers beyond 2⁵³. Several times slower; throws SyntaxError. */
export function parseExactly(text: string): unknown {
  return json.parse(text, (_key, value, { source }) => {
    if (typeof value !== 'number' || source === undefined || !Number.isFinite(value)) return value;
    return Number.isSafeInteger(value) || !/^-?\d+$/u.test(source) ? value : json.rawJSON(source);
  });
}

/** The value of a string, number or name from its text. A number that a double would spell otherwise is kept by its digits. */
export function leafExactly(source: string): unknown {
  const value = JSON.parse(source) as unknown;
  return typeof value !== 'number' || String(value) === source ? value : json.rawJSON(source);
}

/** Sets an own property, also one that is called `__proto__`. */
export function setOwn(target: JsonObject, key: string, value: unknown): void {
  if (key === '__proto__') {
    Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true });
  } else target[key] = value;
}
