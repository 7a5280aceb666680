import { PAGES } from './pages.js';
import { INVOICES, NEWSLETTER, ORDERS, RELEASE_AFTER_MS } from './shop/settings.js';

/** What a person can do from here on, page by page: docs/demo.md in short. */
export function guideLines(baseUrl: string): readonly string[] {
  const at = (path: string) => `     ${baseUrl}${path}`;
  return [
    '',
    'The shop goes on, and from here on it needs you. In the dashboard:',
    '',
    '  1  Every half minute a worker dies with a parcel. See it found stuck, read why, watch it come back.',
    at(PAGES.overview),
    `  2  Three ${INVOICES} are dead letters of one cause: an amount with a decimal comma. Open the cause, open a letter, put a point for the comma, and redrive it.`,
    at(PAGES.deadLettersOf(INVOICES)),
    `  3  ${String(RELEASE_AFTER_MS / 1_000)} s after the start a bad release of the workers of ${ORDERS} comes. Within a minute an incident waits for you: approve it, watch the release before come back, and read the postmortem.`,
    at(PAGES.incidents),
    `  4  ${NEWSLETTER} is only observed: see what would have been done, and that it would have been wrong.`,
    at(PAGES.shadow),
    '',
  ];
}

export const FAREWELL = 'The service goes on, for you to look around. Ctrl-C ends it, with all of its workers.';
