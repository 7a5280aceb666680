import { waitUntil } from '#libs/testing';

/** What the demo has to have come to first: they come one after the other. */
export const MOMENTS = ['stuck', 'waits', 'over'] as const;
export type Moment = (typeof MOMENTS)[number];

/** A picture of a page, taken in both themes. */
export interface Shot {
  /** Of the file, without the theme. */
  readonly name: string;
  readonly at: Moment;
  /** Address, or how it is found out from the service. */
  readonly path: string | ((url: string) => Promise<string>);
  /** The picture is taken once this is on the page. */
  readonly shows: string | RegExp;
  /** Default desk. */
  readonly size?: 'desk' | 'phone';
}

export const SHOTS: readonly Shot[] = [
  { name: 'stuck', at: 'stuck', path: '/stuck', shows: /^parcel-/ },
  { name: 'overview', at: 'waits', path: '/', shows: /is saturated/ },
  { name: 'overview-phone', at: 'waits', path: '/', shows: /is saturated/, size: 'phone' },
  { name: 'incident', at: 'waits', path: anIncident, shows: 'Every step' },
  { name: 'incident-phone', at: 'waits', path: anIncident, shows: 'Every step', size: 'phone' },
  { name: 'shadow-report', at: 'waits', path: '/stuck?tab=shadow', shows: 'newsletter' },
  { name: 'dead-letters', at: 'waits', path: '/dead-letters', shows: /came in, of .* patterns/ },
  { name: 'dead-letter-pattern', at: 'waits', path: async (url) => `/dead-letters/patterns/${await thePattern(url)}`, shows: 'Those that are dead still' },
  { name: 'job', at: 'waits', path: aJobThatCameBack, shows: 'Attempt 2 has ended well.' },
  { name: 'postmortem', at: 'over', path: async (url) => `${await anIncident(url)}/postmortem`, shows: 'How did it go?' },
];

/** Waits for the moment; `over` is not waited for without somebody who approves. */
export async function waitFor(moment: Moment, url: string): Promise<void> {
  const until = (what: string, holds: () => Promise<boolean>) => waitUntil(what, holds, { withinMs: 240_000 });
  if (moment === 'stuck') { await until('a parcel is being put back', async () => (await itemsOf(url, '/v1/jobs?queue=demo&status=restart-requested')).some(isParcel)); return; }
  await until('an incident', async () => (await itemsOf(url, '/v1/incidents')).length > 0);
  const path = `/v1${await anIncident(url)}`;
  const has = async (type: string) => ((await told(url, path))['steps'] as readonly { readonly type: string }[]).some((step) => step.type === type);
  await until('it waits for an approval', () => has('approval-requested'));
  if (moment === 'waits') return;
  await fetch(`${url}${path}/approve`, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ reason: 'it fails every order' }) });
  await until('it is over', () => has('resolved'));
}

type Item = Readonly<Record<string, unknown>>;

async function told(url: string, path: string): Promise<Item> {
  const response = await fetch(`${url}${path}`);
  if (!response.ok) throw new Error(`${path}: ${String(response.status)}`);
  return (await response.json()) as Item;
}

const itemsOf = async (url: string, path: string): Promise<readonly Item[]> => (await told(url, path))['items'] as readonly Item[];
const isParcel = ({ id }: Item) => String(id).startsWith('parcel-');

async function anIncident(url: string): Promise<string> {
  const [first] = await itemsOf(url, '/v1/incidents');
  return `/incidents/${String(first?.['incidentId'])}`;
}

async function thePattern(url: string): Promise<string> {
  const patterns = await itemsOf(url, '/v1/dead-letters/patterns?queue=invoices&since=24h');
  return String(patterns[0]?.['id']);
}

async function aJobThatCameBack(url: string): Promise<string> {
  const jobs = await itemsOf(url, '/v1/jobs?queue=demo&status=succeeded&limit=1000');
  const back = jobs.find((job) => isParcel(job) && job['attempt'] === 2);
  return `/jobs/one?namespace=default&queue=demo&id=${String(back?.['id'])}`;
}
