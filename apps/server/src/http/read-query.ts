import type { TObject } from 'typebox';
import { checked, invalid, type InputFault } from './validate.js';

/**
 * A query by its schema. Numbers and booleans are read from their text; what the route does not know is refused, or a
 * slip in a filter's name would quietly answer with everything.
 */
export function readQuery(schema: TObject, raw: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const value: Record<string, unknown> = {};
  const faults: InputFault[] = [];
  for (const [name, given] of Object.entries(raw)) {
    const property = Object.hasOwn(schema.properties, name) ? schema.properties[name] : undefined;
    if (property === undefined) {
      faults.push({
        field: name,
        rule: 'is not a parameter here',
        send: `Known here: ${Object.keys(schema.properties).join(', ')}.`,
      });
    } else if (typeof given !== 'string') {
      faults.push({ field: name, rule: 'is given more than once', send: 'Give it once.' });
    } else if (given.includes('\0')) {
      faults.push({ field: name, rule: 'holds a NUL character, which cannot be stored', send: 'Leave it out.' });
    } else {
      value[name] = coerced(given, (property as { type?: string }).type);
    }
  }
  if (faults.length > 0) throw invalid('query', faults);
  checked(schema, value, 'query');
  return value;
}

/** What is no number stays text, and the schema says so. */
function coerced(text: string, type: string | undefined): unknown {
  if ((type === 'integer' || type === 'number') && /^-?\d{1,15}$/.test(text)) return Number(text);
  if (type === 'boolean' && (text === 'true' || text === 'false')) return text === 'true';
  return text;
}
