import type { Handler } from '@jobwarden/worker';
import { BAD_ORDERS, GOOD_ORDERS, INVOICES, NEWSLETTER, ORDERS } from './settings.js';

/** The programs that were ever released, each a file of its own. */
const PROGRAMS: Readonly<Record<string, () => Promise<{ readonly handle: Handler<never, string> }>>> = {
  [`${INVOICES} 1.8.2`]: () => import('./releases/invoices-1.8.2.js'),
  [`${NEWSLETTER} 3.1.0`]: () => import('./releases/newsletter-3.1.0.js'),
  [`${ORDERS} ${GOOD_ORDERS}`]: () => import('./releases/orders-2.4.0.js'),
  [`${ORDERS} ${BAD_ORDERS}`]: () => import('./releases/orders-2.5.0.js'),
};

/** @throws where there is no such release. */
export async function programOf(queue: string, revision: string): Promise<Handler<never, string>> {
  const load = PROGRAMS[`${queue} ${revision}`];
  if (load === undefined) throw new Error(`there is no release ${revision} of the workers of ${queue}`);
  return (await load()).handle;
}

/** Of a queue, the newest first. */
export function releasesOf(queue: string): readonly string[] {
  return Object.keys(PROGRAMS)
    .filter((name) => name.startsWith(`${queue} `))
    .map((name) => name.slice(queue.length + 1))
    .sort()
    .reverse();
}
