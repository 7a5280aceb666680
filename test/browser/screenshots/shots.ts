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

type Item = Readonly<Record<string, string>>;

/** Waits until the list has one. */
async function firstOf(url: string, path: string): Promise<Item> {
  let items: readonly Item[] = [];
  const look = async () => ({ items } = await get<{ readonly items: readonly Item[] }>(url, path));
  await waitUntil(`${path} has something to take a picture of`, async () => (await look()).items.length > 0, { withinMs: 90_000, everyMs: 1_000 });
  return items[0]!;
}

/** In the order of the demo: each waits for what it shows. */
export const SHOTS: readonly Shot[] = [
  { name: 'dead-letters', path: '/dead-letters', shows: /dead letters, of .* patterns/ },
  { name: 'dead-letter-pattern', path: async (url) => `/dead-letters/patterns/${String((await firstOf(url, '/v1/dead-letters/patterns?queue=invoices&since=24h'))['id'])}`, shows: 'Those that are dead still' },
  { name: 'stuck', path: '/stuck', shows: /^parcel-/ },
  { name: 'job', path: async (url) => `/jobs/one?${new URLSearchParams({ queue: 'demo', id: String((await firstOf(url, '/v1/jobs?queue=demo&kind=parcel&status=succeeded'))['id']) }).toString()}`, shows: 'Timeline' },
  { name: 'shadow-report', path: '/stuck?tab=shadow', shows: 'Would it have been right?' },
  { name: 'incident', path: anIncident, shows: 'Somebody has to approve.' },
  { name: 'incident-phone', path: anIncident, shows: 'Somebody has to approve.', size: 'phone' },
  { name: 'overview', path: async (url) => await anIncident(url).then(() => '/'), shows: 'Live' },
  { name: 'overview-phone', path: '/', shows: 'Live', size: 'phone' },
  { name: 'postmortem', path: anEnd, shows: 'How did it go?' },
];

/** That of the bad release, once it waits for a person. */
async function anIncident(url: string): Promise<string> {
  await waitUntil('an incident waits for a person', async () => (await incidents(url)).some(({ cause }) => cause === 'bad_revision') && (await stepsOf(url)).includes('approval-requested'), { withinMs: 180_000, everyMs: 1_000 });
  return `/incidents/${await idOf(url)}`;
}

/** Its postmortem, once it was approved and is over. */
async function anEnd(url: string): Promise<string> {
  const id = await idOf(url);
  if (!(await stepsOf(url)).includes('approved')) {
    const body = JSON.stringify({ reason: 'It fails every order' });
    await fetch(`${url}/v1/incidents/${id}/approve`, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
  }
  await waitUntil('the incident is over', async () => (await stepsOf(url)).includes('resolved'), { withinMs: 120_000, everyMs: 1_000 });
  return `/incidents/${id}/postmortem`;
}

interface IncidentItem {
  readonly incidentId: string;
  readonly cause: string | null;
}

const get = async <T>(url: string, path: string): Promise<T> => (await (await fetch(`${url}${path}`)).json()) as T;
const incidents = async (url: string): Promise<readonly IncidentItem[]> => (await get<{ readonly items: readonly IncidentItem[] }>(url, '/v1/incidents')).items;
const idOf = async (url: string): Promise<string> => (await incidents(url)).find(({ cause }) => cause === 'bad_revision')?.incidentId ?? '';
const stepsOf = async (url: string): Promise<readonly string[]> =>
  (await get<{ readonly steps: readonly { readonly type: string }[] }>(url, `/v1/incidents/${await idOf(url)}`)).steps.map(({ type }) => type);
