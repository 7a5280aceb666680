/** A picture of a page, taken in both themes. */
export interface Shot {
  /** Of the file, without the theme. */
  readonly name: string;
  /** Address, or how it is found out from the service. */
  readonly path: string | ((url: string) => Promise<string>);
  /** The picture is taken once this is on the page. */
  readonly shows: string | RegExp;
  /** Default desk. */
  readonly size?: 'desk' | 'phone';
}

async function firstOf(url: string, path: string): Promise<Readonly<Record<string, string>>> {
  const response = await fetch(`${url}${path}`);
  const { items } = (await response.json()) as { readonly items: readonly Readonly<Record<string, string>>[] };
  const [first] = items;
  if (first === undefined) throw new Error(`${path} has nothing to take a picture of`);
  return first;
}

export const SHOTS: readonly Shot[] = [
  { name: 'overview', path: '/', shows: 'Live' },
  { name: 'overview-phone', path: '/', shows: 'Live', size: 'phone' },
  { name: 'dead-letters', path: '/dead-letters', shows: /dead letters, of .* patterns/ },
  { name: 'dead-letter-pattern', path: async (url) => `/dead-letters/patterns/${String((await firstOf(url, '/v1/dead-letters/patterns?since=7d'))['id'])}`, shows: 'Those that are dead still' },
];
