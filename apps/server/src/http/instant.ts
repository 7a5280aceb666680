import { parseRfc3339 } from '#libs/contracts';
import { invalid } from './validate.js';

/** A time that its schema has let through, ms. `Date.parse` makes no number of a leap second, which a schema takes: all that is compared with it would be neither before nor after. */
export function instantMs(text: string): number {
  const ms = parseRfc3339(text);
  if (ms === undefined) throw invalid('request', [{ field: '', rule: 'holds a time that is none', send: 'Such as 2026-01-31T10:00:00Z.' }]);
  return ms;
}
