import { readFileSync } from 'node:fs';
import { waitUntil } from '#libs/testing';
import type { DashboardService } from './harness/service.js';

/** Of the dashboard's router, by name. Read as text: nothing outside may import the dashboard. */
export const PATTERNS = patternsIn(readFileSync('apps/dashboard/src/routes/paths.ts', 'utf8'));

function patternsIn(source: string): ReadonlyMap<string, string> {
  const object = /export const PATTERNS = \{(.*?)\} as const/s.exec(source)?.[1] ?? '';
  return new Map([...object.matchAll(/(\w+): '([^']+)'/g)].map(([, name = '', path = '']) => [name, path]));
}

/** Things that a page of its own is about. */
export interface Things {
  readonly pattern: string;
  readonly redrive: string;
  readonly incident: string;
}

/** Nothing that there is. */
export const NOTHING: Things = { pattern: '999', redrive: '999', incident: '999' };

const QUEUE = 'mail';

/** An address of every page; throws for one that is about a thing of which nothing is known here. */
export function addressOf(route: string, { pattern, redrive, incident }: Things): string {
  const id: Readonly<Record<string, string>> = { pattern, redrive, incident, postmortem: incident };
  const path = PATTERNS.get(route)?.replace(':id', id[route] ?? ':id');
  if (path === undefined || path.includes(':')) throw new Error(`no id is known for the page ${route}`);
  return route === 'job' ? `${path}?queue=${QUEUE}&id=1` : path;
}

export const ROUTES = [...PATTERNS.keys()];

/** A dead letter with its pattern, a run of redrives, an incident. */
export async function makeThings(service: DashboardService): Promise<Things> {
  const worker = { queue: QUEUE, attempt: 1, worker: { id: 'w1', revision: '2' } };
  await service.send(
    ...['1', '2'].flatMap((id) => [
      { fact: 'queued', id, data: { queue: QUEUE, kind: 'send' } },
      { fact: 'started', id, data: worker },
      { fact: 'failed', id, data: { ...worker, error: { class: 'Refused', message: 'no such mailbox' }, retryable: false } },
    ]),
  );
  const { incidentId } = await service.call('POST', '/v1/incidents', { queue: QUEUE, revision: '2', reason: 'every mail goes out twice' });
  let pattern: unknown;
  await waitUntil('the dead letters are sorted', async () => {
    const { items } = await service.call('GET', '/v1/dead-letters/patterns?since=24h');
    pattern = (items as readonly { readonly id: string }[])[0]?.id;
    return pattern !== undefined;
  });
  const { id } = await service.call('POST', '/v1/dead-letters/redrives', { queue: QUEUE, count: 2, reason: 'again' });
  return { pattern: String(pattern), redrive: String(id), incident: String(incidentId) };
}
