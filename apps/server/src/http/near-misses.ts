import type { TObject, TSchema } from 'typebox';
import type { InputFault } from './validate.js';

/**
 * Members of a body that are none of its schema's, and so near to one that was left out that they can only be meant for it:
 * `dryrun` for `dryRun`. What is not known is let be, so a call with such a slip would be done in earnest, or to everything.
 * What resembles nothing is no fault: callers send one body to several calls.
 */
export function nearMisses(schema: TSchema, value: unknown, path = ''): readonly InputFault[] {
  const { properties } = schema as Partial<TObject>;
  if (properties === undefined || typeof value !== 'object' || value === null || Array.isArray(value)) return [];
  const given = Object.entries(value);
  const missing = Object.keys(properties).filter((name) => !Object.hasOwn(value, name));
  return given.flatMap(([name, inner]) => {
    const field = path === '' ? name : `${path}/${name}`;
    const known = Object.hasOwn(properties, name) ? properties[name] : undefined;
    if (known !== undefined) return nearMisses(known, inner, field);
    const meant = missing.find((candidate) => isSlip(name, candidate));
    return meant === undefined ? [] : [{ field, rule: `is not known here; did you mean \`${meant}\`?`, send: 'Correct its name, or leave it out.' }];
  });
}

/** Shorter names are other words rather than slips: `from` and `form`. */
const LEAST_LENGTH = 5;

/** The same word in another writing, or with one letter too many, too few, wrong, or two that changed places. */
export function isSlip(given: string, meant: string): boolean {
  const [a, b] = [plain(given), plain(meant)];
  if (a === b) return true;
  if (Math.min(a.length, b.length) < LEAST_LENGTH || Math.abs(a.length - b.length) > 1) return false;
  const [long, short] = a.length >= b.length ? [a, b] : [b, a];
  let at = 0;
  while (at < short.length && long[at] === short[at]) at += 1;
  const rest = (word: string, from: number): string => word.slice(from);
  if (long.length > short.length) return rest(long, at + 1) === rest(short, at);
  const swapped = long[at] === short[at + 1] && long[at + 1] === short[at] && rest(long, at + 2) === rest(short, at + 2);
  return swapped || rest(long, at + 1) === rest(short, at + 1);
}

const plain = (name: string): string => name.toLowerCase().replaceAll(/[-_ ]/gu, '');
