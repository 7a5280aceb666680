/** The token of this tab: kept where only this tab reads it, and gone with it. No cookie, so no page of another site can use it. */
const KEY = 'jobwarden.token';

export const token = {
  read: (): string | null => sessionStorage.getItem(KEY),
  keep: (text: string): void => sessionStorage.setItem(KEY, text),
  forget: (): void => sessionStorage.removeItem(KEY),
};

/** What every request carries; nothing where the service needs no token, or a proxy adds one. */
export function authorization(): Readonly<Record<string, string>> {
  const text = token.read();
  return text === null ? {} : { authorization: `Bearer ${text}` };
}
