import { waitUntil } from '#libs/testing';

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
  { name: 'incident', path: anIncident, shows: 'Every step' },
  { name: 'incident-phone', path: anIncident, shows: 'Every step', size: 'phone' },
  { name: 'postmortem', path: async (url) => `${await anIncident(url)}/postmortem`, shows: 'How did it go?' },
];

/** One that the demo's first queue has: opened by hand, and seen while it waits for work that succeeds. */
async function anIncident(url: string): Promise<string> {
  const call = async (method: string, path: string, body?: object) =>
    (await (await fetch(`${url}${path}`, { method, headers: { 'content-type': 'application/json' }, ...(body !== undefined && { body: JSON.stringify(body) }) })).json()) as Answer;
  const [first] = (await call('GET', '/v1/incidents?limit=1')).items;
  if (first !== undefined) return `/incidents/${String(first['incidentId'])}`;
  const [queue] = (await call('GET', '/v1/queues')).items;
  const { incidentId: id } = await call('POST', '/v1/incidents', { queue: queue?.['queue'], revision: '2026.11.30-2', reason: 'Every mail goes out twice since the release of noon' });
  await waitUntil('its revision is isolated', async () => (await call('GET', `/v1/incidents/${id}`)).steps.some(({ type }) => type === 'isolated'), { withinMs: 30_000 });
  return `/incidents/${id}`;
}

interface Answer {
  readonly items: readonly Readonly<Record<string, unknown>>[];
  readonly incidentId: string;
  readonly steps: readonly { readonly type: string }[];
}
