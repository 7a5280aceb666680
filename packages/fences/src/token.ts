/**
 * The token as text, for a sink to compare. Up to 2⁵³ − 1, which a double holds exactly, so JavaScript, Lua and JSON all
 * compare it rightly; one above that number it would be rounded to its neighbour, and a stale writer let in.
 *
 * @throws RangeError for what is no token.
 */
export function tokenText(token: number): string {
  if (Number.isSafeInteger(token) && token >= 1) return String(token);
  throw new RangeError(`A fencing token is a whole number from 1 to 2^53 - 1, and not ${String(token)}.`);
}

/** The token that a text names in decimal; null where it names none. */
export function parseToken(text: string): number | null {
  if (!/^[1-9]\d{0,15}$/u.test(text)) return null;
  const token = Number(text);
  return Number.isSafeInteger(token) ? token : null;
}
