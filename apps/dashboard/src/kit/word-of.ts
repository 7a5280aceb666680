/** null: there is none for it. */
export function wordOf(words: Readonly<Record<string, unknown>>, key: string): string | null {
  const found = Object.hasOwn(words, key) ? words[key] : null;
  return typeof found === 'string' ? found : null;
}
