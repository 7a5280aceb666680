const SECRET = /pass(?:word|wd|phrase)?$|secret|token|authorization|cookie|api[-_]?key|private[-_]?key|credential|card[-_]?number|cvv/iu;
const MOST_BYTES = 65_536;
const DEEPEST = 20;

/**
 * The payload as JSON, with the values of fields whose names say that they are secret cut out (passwords, tokens, cookies,
 * keys, card numbers). Over 64 KiB, or where it is no JSON, only its size is told. The service redacts once more, by its policy.
 */
export function redactSecrets(payload: unknown): unknown {
  if (payload instanceof Uint8Array) return { bytes: payload.byteLength };
  // Of these JSON knows nothing.
  if (payload === undefined || typeof payload === 'function' || typeof payload === 'symbol') return undefined;
  let text: string;
  try {
    text = JSON.stringify(payload);
  } catch {
    return { unreadable: typeof payload };
  }
  const bytes = Buffer.byteLength(text);
  return bytes > MOST_BYTES ? { bytes } : redacted(JSON.parse(text), 0);
}

function redacted(value: unknown, depth: number): unknown {
  if (depth > DEEPEST) return '[too deep]';
  if (Array.isArray(value)) return value.map((item) => redacted(item, depth + 1));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, SECRET.test(name) ? '[redacted]' : redacted(field, depth + 1)]));
}
