import { PATTERNS } from '../../apps/dashboard/src/routes/paths.js';
import { waitUntil } from '#libs/testing';
import type { DashboardService } from './harness/service.js';

export type RouteName = keyof typeof PATTERNS;

/** Things that a page of its own is about. */
export interface Things {
  readonly pattern: string;
  readonly redrive: string;
  readonly incident: string;
}

/** Nothing that there is. */
export const NOTHING: Things = { pattern: '999', redrive: '999', incident: '999' };

const QUEUE = 'mail';

/** An address of every page: the names are the router's own, so one that is missing here is a fault. */
export function addressOf(route: RouteName, { pattern, redrive, incident }: Things): string {
  const id: Partial<Record<RouteName, string>> = { pattern, redrive, incident, postmortem: incident };
  const path = PATTERNS[route].replace(':id', id[route] ?? ':id');
  if (path.includes(':')) throw new Error(`no id is known for ${path}`);
  return route === 'job' ? `${path}?queue=${QUEUE}&id=1` : path;
}

export const ROUTES = Object.keys(PATTERNS) as readonly RouteName[];

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
