// A person who has only the dashboard follows the demo, from its first page on, by links and buttons alone. What the log says of it is asked at the end.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { freePort, startServerProcess, type TestProcess } from '#libs/testing';
import { launchBrowser } from './harness/browser.js';
import { Tab } from './harness/tab.js';

const folder = mkdtempSync(join(tmpdir(), 'jobwarden-walk-'));
const [GOOD, BAD, LETTER] = ['2.4.0', '2.5.0', 'invoice-1003'] as const;
/** The demo lets the bad release come 75 s after its start, and some time goes by until that shows. */
const UNTIL_IT_SHOWS = { timeout: 150_000 };
const UNTIL_IT_IS_OVER = { timeout: 120_000 };

let url = '';
let demo: TestProcess | undefined;
let browser: Browser | undefined;
let tab: Tab;
let page: Page;
let [parcel, incident] = ['', ''];

beforeAll(async () => {
  const port = await freePort();
  url = `http://127.0.0.1:${String(port)}`;
  const env = { JOBWARDEN_HTTP_PORT: String(port), JOBWARDEN_DATA_DIR: folder };
  [demo, browser] = await Promise.all([startServerProcess({ args: ['--demo'], env, readyUrl: `${url}/readyz`, withinMs: 60_000 }), launchBrowser()]);
  tab = await Tab.open(browser, url);
  ({ page } = tab);
  page.setDefaultTimeout(20_000);
}, 90_000);
afterAll(async () => {
  await browser?.close();
  await demo?.kill();
  rmSync(folder, { recursive: true, force: true });
});

const turnTo = (name: string): Promise<void> => page.getByRole('navigation').getByRole('link', { name, exact: true }).click();
const says = (text: string | RegExp, options?: { readonly timeout: number }): Promise<void> => page.getByText(text).first().waitFor(options);

/** Opens an action, gives what it asks for, and confirms it. */
async function act(label: string, fields: Readonly<Record<string, string>>, { from = page.getByRole('main'), before }: { readonly from?: Locator; readonly before?: (dialog: Locator) => Promise<void> } = {}): Promise<void> {
  await from.getByRole('button', { name: label, exact: true }).first().click();
  const dialog = page.getByRole('dialog');
  await before?.(dialog);
  for (const [name, value] of Object.entries(fields)) await dialog.getByRole('textbox', { name }).fill(value);
  await dialog.getByRole('button', { name: label, exact: true }).click();
  await dialog.waitFor({ state: 'detached' });
}

async function told<T>(path: string): Promise<T> {
  const response = await fetch(`${url}${path}`);
  if (!response.ok) throw new Error(`${path}: ${String(response.status)}`);
  return (await response.json()) as T;
}

it('sees a stuck job found, reads why, and watches it come back', async () => {
  await tab.goto('/');
  await page.getByRole('link', { name: /^Stuck now\s*[1-9]/u }).click();
  const stuck = page.getByRole('region', { name: 'Being put back' }).getByRole('link', { name: /^parcel-\d+$/u }).first();
  parcel = (await stuck.textContent({ timeout: 60_000 })) ?? '';
  await stuck.click();
  await page.getByRole('heading', { level: 1, name: `Job ${parcel}` }).waitFor();
  await says('Attempt 1 was given up, and its worker was asked to stop.');
  await says(/^Its worker was asked to stop, and has until/u);
  await says(/Attempt 1 was taken for lost: silent for longer than 3\.0 s/u);
  await says('Attempt 2 has ended well.', { timeout: 30_000 });
}, 100_000);

it('finds what a poison pill has in common with others, patches its payload, redrives it, and sees it succeed', async () => {
  await tab.goto('/');
  await turnTo('Dead letters');
  await page.getByRole('link', { name: 'AmountError: the amount <text> is not a number' }).click();
  await page.getByRole('heading', { level: 1, name: /^AmountError/u }).waitFor();
  await page.getByRole('link', { name: LETTER }).click();
  await says('the amount "1299,50" is not a number');
  await page.getByRole('button', { name: 'Edit the payload' }).click();
  const payload = page.getByRole('textbox', { name: 'Payload' });
  await payload.fill((await payload.inputValue()).replace('1299,50', '1299.50'));
  await act('Change and redrive', { Reason: 'amounts are written with a point' }, {
    before: async (dialog) => {
      await dialog.getByText('− "1299,50"').waitFor();
      await dialog.getByText('+ "1299.50"').waitFor();
    },
  });
  await says('It is no dead letter any more');
  await page.getByRole('main').getByRole('link', { name: 'The whole job' }).first().click();
  await says('Attempt 2 has ended well.', { timeout: 30_000 });
  const timeline = page.getByRole('region', { name: 'Timeline' });
  for (const text of [/^Attempt 1 failed/u, '“amounts are written with a point”', /claimed attempt 2/u, /^Attempt 2 ended well/u]) await timeline.getByText(text).first().waitFor();
}, 60_000);

it('sees what would have been done in a queue that only observes, and that it would have been wrong', async () => {
  await tab.goto('/');
  await turnTo('Stuck and shadow report');
  await page.getByRole('tab', { name: 'Shadow report' }).click();
  const entry = page.getByRole('listitem').filter({ hasText: 'newsletter' });
  await entry.getByText('observing').waitFor({ timeout: 60_000 });
  await entry.getByText(/^0\s?% of \d right/u).waitFor({ timeout: 60_000 });
}, 130_000);

it('sees a bad release come, and approves that it is taken back', async () => {
  await tab.goto('/');
  await says('waits for an approval', UNTIL_IT_SHOWS);
  await page.getByRole('link', { name: /^orders is saturated/u }).click();
  await says('Somebody has to approve. Until then nothing is done.', UNTIL_IT_IS_OVER);
  incident = /\d+$/u.exec(page.url())?.[0] ?? '';
  await says('It comes from a bad revision.');
  await says(`Revision ${BAD} fails where other revisions succeed: at the same time, on the same kinds of the same queues.`);
  await says(`Give command:orders the release of ${GOOD}, with 4 replicas as now.`);
  await tab.expectAccessible();
  await act('Approve', { Reason: 'it fails every order' });
  const steps = page.getByRole('list', { name: 'Steps of this incident' });
  await steps.getByText('refused by every replica: no → yes').waitFor(UNTIL_IT_IS_OVER);
  await steps.getByText(`command:orders has the release of ${GOOD}, and is to have 4 replicas`).waitFor(UNTIL_IT_IS_OVER);
  await steps.getByText(`4 replicas of ${GOOD} are updated and available`).waitFor(UNTIL_IT_IS_OVER);
  await page.getByRole('list', { name: 'Shares let in so far' }).getByText('100 %').waitFor(UNTIL_IT_IS_OVER);
  await says('It is over.', UNTIL_IT_IS_OVER);
}, 400_000);

it('reads the postmortem, answers what the data cannot, and signs it', async () => {
  await page.getByRole('link', { name: 'Postmortem', exact: true }).first().click();
  await page.getByRole('heading', { level: 1, name: `Postmortem of incident ${incident}` }).waitFor();
  for (const checklist of ['Would it happen again?', 'How did it go?']) await page.getByRole('region', { name: checklist }).waitFor();
  const open = page.getByRole('listitem').filter({ hasText: 'a person has to answer' });
  await open.first().waitFor();
  for (let left = await open.count(); left > 0; left -= 1) {
    await act('Answer', { Answer: 'yes, looked at by the team' }, { from: open.first() });
    await expect.poll(() => open.count()).toBe(left - 1);
  }
  await act('Sign', { Reason: 'a test for orders without a voucher is written' });
  await says('Signed by local');
  tab.expectNoFaults();
}, 60_000);

it('has left a line in the log for each thing that was done', async () => {
  const decisions = async (queue: string, id: string) => (await told<{ readonly decisions: readonly object[] }>(`/v1/jobs/one?queue=${queue}&id=${id}`)).decisions;
  expect((await decisions('demo', parcel)).slice(0, 2)).toMatchObject([{ kind: 'restart-requested', reason: 'lost', by: 'jobwarden' }, { kind: 'requeued', attempt: 2 }]);
  expect(await decisions('invoices', LETTER)).toMatchObject([
    { kind: 'dead-lettered', attempt: 1 },
    { kind: 'patched', by: 'local', reason: 'amounts are written with a point' },
    { kind: 'redriven', by: 'local' },
    { kind: 'requeued', attempt: 2 },
  ]);
  const { status, steps } = await told<{ readonly status: string; readonly steps: readonly { readonly type: string; readonly by: string; readonly reason: string }[] }>(`/v1/incidents/${incident}`);
  expect(status).toBe('resolved');
  expect(steps.filter(({ by }) => by === 'local')).toMatchObject([{ type: 'approved', reason: 'it fails every order' }]);
  const types = steps.map(({ type }) => type).filter((type) => ['opened', 'approval-requested', 'approved', 'isolated', 'rolled-back', 'replicas-restored', 'verified', 'resolved'].includes(type));
  expect(types).toEqual(['opened', 'approval-requested', 'approved', 'isolated', 'rolled-back', 'replicas-restored', 'verified', 'resolved']);
  expect(await told(`/v1/incidents/${incident}/postmortem`)).toMatchObject({ signature: { by: 'local', note: 'a test for orders without a voucher is written' } });
  expect(await told('/v1/queues/orders')).toMatchObject({ refusedRevisions: [BAD] });
  expect(await demo?.stop('SIGINT')).toMatchObject({ code: 0 });
});
