/**
 * Key order must not depend on which program, or which of two equal events, wrote the object. What is in order already,
 * as all is that was read from a row, is not copied.
 */
export function inOrder<T>(value: T): T {
  if (value === null || typeof value !== 'object') return value;
  if (Array.isArray(value)) return value.map((v: unknown) => inOrder(v)) as T;
  const source = value as Record<string, unknown>;
  const keys = Object.keys(source);
  let copy: Record<string, unknown> | null = order(keys) ? null : {};
  for (let i = 0; i < keys.length; i += 1) {
    const key = keys[i] ?? '';
    const item = source[key];
    const kept = inOrder(item);
    if (copy === null && kept !== item) copy = Object.fromEntries(keys.slice(0, i).map((k) => [k, source[k]]));
    if (copy !== null && kept !== undefined) copy[key] = kept;
  }
  return (copy ?? source) as T;
}

/** Sorts in place, by insertion: keys are few. Answers whether there was nothing to do. */
function order(keys: string[]): boolean {
  let ordered = true;
  for (let i = 1; i < keys.length; i += 1) {
    const key = keys[i] ?? '';
    let at = i;
    for (; at > 0 && (keys[at - 1] ?? '') > key; at -= 1) keys[at] = keys[at - 1] ?? '';
    if (at === i) continue;
    keys[at] = key;
    ordered = false;
  }
  return ordered;
}
