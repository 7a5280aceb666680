/**
 * A log line for people: `12:03:04.123 INFO  message key=value`, an error's stack below it; of one that passes by itself
 * only what it says, since where in the code it came up helps nobody who waits for a database. Without a
 * transport thread, so that the last lines before an exit are not lost.
 */
export function readableLine(json: string): string {
  const entry = parse(json);
  if (entry === null) return visible(json.trimEnd()) + '\n';
  const { level, time, msg, err, ...rest } = entry;
  const clock = typeof time === 'string' ? time.slice(11, 23) : '';
  const label = typeof level === 'string' ? level.toUpperCase().padEnd(5) : '     ';
  const pairs = Object.entries(rest)
    .filter(([key]) => !UNINTERESTING.has(key))
    .map(([key, value]) => `${key}=${typeof value === 'string' ? value : JSON.stringify(value)}`);
  const first = [clock, label, typeof msg === 'string' ? msg : '', ...pairs].join(' ').trimEnd();
  return [visible(first), ...errorLines(err)].join('\n') + '\n';
}

/** The same on every line of this terminal. */
const UNINTERESTING: ReadonlySet<string> = new Set(['pid', 'hostname']);

function errorLines(err: unknown): string[] {
  if (typeof err !== 'object' || err === null) return [];
  const { type, stack, message } = err as { readonly type?: unknown; readonly stack?: unknown; readonly message?: unknown };
  const text = typeof stack === 'string' ? stack : typeof message === 'string' ? message : '';
  const lines = text === '' ? [] : text.split('\n').map((line) => line.trim());
  const told = type === 'RetryableError' ? lines.filter((line) => !line.startsWith('at ')) : lines;
  return told.map((line) => `    ${visible(line)}`);
}

function parse(json: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(json);
    return typeof value === 'object' && value !== null ? { ...value } : null;
  } catch {
    return null;
  }
}

/** Job ids and error messages come from outside: none of them may move the cursor or colour the terminal. */
function visible(text: string): string {
  return text.replace(/\p{Cc}/gu, (char) => `\\x${char.charCodeAt(0).toString(16).padStart(2, '0')}`);
}
