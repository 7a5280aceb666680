import { isObject, isRawNumber } from '../json.js';
import { unstorable, type Fault } from './fault.js';

/**
 * What PostgreSQL text cannot hold: NUL, and half a surrogate pair. Two strings that differ only in such halves would
 * also have the same UTF-8, and so the same key.
 */
export function isStorable(text: string): boolean {
  return text.isWellFormed() && !text.includes('\0');
}

/** The first string or key in `value` that cannot be stored. Exact and slow; asked only on suspicion. */
export function storableFault(value: unknown, path: string): Fault | undefined {
  if (typeof value === 'string') return isStorable(value) ? undefined : unstorable(path, flawOf(value));
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i += 1) {
      const fault = storableFault(value[i], `${path}[${i}]`);
      if (fault !== undefined) return fault;
    }
    return undefined;
  }
  if (!isObject(value) || isRawNumber(value)) return undefined;
  for (const key of Object.keys(value)) {
    if (!isStorable(key)) return unstorable(`a key in ${path}`, flawOf(key));
    const fault = storableFault(value[key], `${path}.${key}`);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

function flawOf(text: string): string {
  return text.includes('\0') ? 'a NUL character' : 'half a surrogate pair';
}

/**
 * Could JSON text of well-behaved strings hold something unstorable? Writing it escapes NUL and lone surrogates as
 * `\u`, and little else, so one search clears nearly every event.
 */
export function isSuspicious(jsonText: string): boolean {
  return jsonText.includes('\\u');
}
