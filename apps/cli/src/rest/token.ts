/** What is said of a token that is none, after the name of where it was found: never the token itself. */
export const NO_TOKEN = 'holds no token: one is of printable ASCII characters, without spaces and line breaks';

/** Whether a header can carry it: `fetch` prints one that it cannot carry in its error. */
export function carriable(token: string): boolean {
  return /^[\x21-\x7e]+$/u.test(token);
}
