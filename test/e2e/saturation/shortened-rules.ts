/**
 * The shipped rule with its minutes as seconds: the one place where it is changed for a test. Windows of two minutes become
 * eight seconds, and the minute that it has to hold, and the one for which it goes on, become one second; nothing else.
 */
const SHORTER: readonly (readonly [long: string, short: string])[] = [
  ['[2m]', '[8s]'],
  ['for: 1m\n', 'for: 1s\n'],
];

export function shortened(rules: string): string {
  return SHORTER.reduce((text, [long, short]) => text.replaceAll(long, short), rules);
}

/** What {@link shortened} was made from. */
export function lengthened(rules: string): string {
  return SHORTER.reduce((text, [long, short]) => text.replaceAll(short, long), rules);
}
