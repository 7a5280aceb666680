/** Longer ones are cut, in characters. */
const LONGEST = 300;

/** What changes from one failure to the next, in the order in which it is looked for: an address holds numbers too. */
const VARIABLE: readonly (readonly [RegExp, string])[] = [
  [/\b[a-z][a-z0-9+.-]{1,20}:\/\/[^\s"'<>]{1,2000}/giu, '<url>'],
  [/[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,8}/gu, '<email>'],
  [/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/giu, '<id>'],
  [/\b\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:[.,]\d{1,9})?)?(?:Z|[+-]\d\d:?\d\d)?)?/gu, '<time>'],
  [/\b\d{1,3}(?:\.\d{1,3}){3}(?::\d{1,5})?\b/gu, '<address>'],
  [/(?:\/[\w.@-]{1,100}){2,30}|\b[A-Z]:\\[\w.\\ -]{1,500}/gu, '<path>'],
  [/"[^"\n]{0,1000}"|'[^'\n]{0,1000}'|`[^`\n]{0,1000}`/gu, ''],
  [/\b(?=[0-9a-f]*\d)[0-9a-f]{8,}\b/giu, '<id>'],
  [/\b0x[0-9a-f]+\b/giu, '<id>'],
  [/\d+(?:[.,]\d+)*/gu, '<n>'],
];

/** A name in quotes says what is wrong (`reading 'id'`), a value does not. */
const NAME = /^.[A-Za-z_$][A-Za-z_$.]{0,39}.$/u;

/**
 * A message without what differs between two failures of the same kind: numbers, ids, addresses, times, quoted values.
 * The same words for both make them one pattern. Linear in the length of the message.
 */
export function normalisedMessage(message: string): string {
  let text = message.slice(0, 4 * LONGEST);
  for (const [pattern, word] of VARIABLE) {
    text = text.replace(pattern, (found) => (word !== '' ? word : NAME.test(found) ? found : '<text>'));
  }
  text = text.replaceAll(/\s+/gu, ' ').trim();
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
}
