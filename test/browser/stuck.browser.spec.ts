import { beforeAll, expect, it } from 'vitest';
import { useDashboard } from './harness/dashboard.js';
import { TOKENS } from './harness/service.js';
import type { Tab } from './harness/tab.js';
import { STORY_POLICY, Stories } from './job-stories.js';

const dashboard = useDashboard({ policy: STORY_POLICY });

let stories: Stories;
beforeAll(async () => {
  stories = new Stories(dashboard.service);
  await Promise.all([
    stories.silent('mail-1', 'emails'),
    stories.silent('mail-2', 'emails'),
    stories.silent('report-1', 'reports'),
    stories.silent('dots-1', '..'),
    stories.heldBack('ledger-1'),
    stories.lostAndBack('capture-1'),
  ]);
}, 60_000);

async function open(path: string, token: keyof typeof TOKENS = 'operator', look: Parameters<typeof dashboard.open>[0] = {}): Promise<Tab> {
  const tab = await dashboard.open({ token: TOKENS[token], ...look });
  await tab.goto(path);
  return tab;
}

const panel = (tab: Tab, name: string) => tab.page.locator('section').filter({ has: tab.page.getByRole('heading', { level: 2, name }) });

it('shows what waits for a person, what is only said, and what is held back and why', async () => {
  const tab = await open('/stuck', 'reader');
  await panel(tab, 'Waits for an approval').getByText(/Attempt 1: Jobwarden would ask its worker to stop, to run it again, as it is lost \(longer than its own limit, 300 ms\)/).first().waitFor();
  await panel(tab, 'Only said: these queues observe').getByRole('link', { name: 'report-1' }).waitFor();
  await panel(tab, 'Held back').getByText(/ledger-1.*Held back: its queue is paused/s).or(panel(tab, 'Held back').getByText(/Held back: its queue is paused/)).first().waitFor();
  const approve = panel(tab, 'Waits for an approval').getByRole('button', { name: 'Approve all' });
  expect(await approve.getAttribute('aria-disabled')).toBe('true');
  expect(await approve.getAttribute('aria-description')).toContain('Needs the scope “operate”');
  await tab.expectAccessible();
  tab.expectNoFaults();
});

it('runs the reconciler dry and in earnest, and shows each run with its rows', async () => {
  const tab = await open('/stuck?tab=runs');
  await tab.page.getByRole('button', { name: /^Show/ }).first().click();
  await tab.page.getByRole('region', { name: 'Runs of the reconciler' }).getByRole('table').first().waitFor();
  for (const name of ['Dry run', 'Run now']) {
    await tab.page.getByRole('button', { name, exact: true }).click();
    const dialog = tab.page.getByRole('dialog');
    await dialog.getByText(/in all queues of this installation/).waitFor();
    await dialog.getByRole('button', { name, exact: true }).click();
    await dialog.getByText(/^(Looked at|Nothing is due)/).waitFor();
    await dialog.getByRole('button', { name: 'Done' }).click();
    await dialog.waitFor({ state: 'detached' });
  }
  await tab.page.getByLabel('Verdict').selectOption('lost');
  await expect.poll(() => tab.page.getByRole('button', { name: /^Show/ }).count()).toBeGreaterThan(0);
  await tab.expectInAddress({ verdict: 'lost' });
  await tab.expectAccessible();
});

it('shows how often it was right with the bound, says why a level is not suggested, and sets one', async () => {
  const tab = await open('/stuck?tab=shadow&queue=reports');
  await tab.page.getByText(/Too few verdicts are graded\. .*20 graded/).waitFor();
  await tab.page.getByRole('button', { name: /^More about requeue of reports/ }).click();
  await tab.page.getByText('lost by the limit of the job: 300 ms (1)').waitFor();
  await tab.page.getByRole('button', { name: 'Change level' }).click();
  const dialog = tab.page.getByRole('dialog');
  await dialog.getByLabel(/^Act:/).check();
  await dialog.getByLabel('Reason').fill('trusted');
  await dialog.getByRole('button', { name: 'Change level' }).click();
  await dialog.getByText('act_needs_safety').waitFor();
  await dialog.getByLabel(/^Approve:/).check();
  await dialog.getByRole('button', { name: 'Change level' }).click();
  await dialog.waitFor({ state: 'detached' });
  await tab.page.getByText('approving').waitFor();
  expect(await dashboard.service.call('GET', '/v1/queues/reports/levels')).toMatchObject({ levels: { requeue: 'approve' }, overrides: [{ action: 'requeue', level: 'approve', by: 'operator', reason: 'trusted' }] });
});

it('sets the level of a queue that no path carries, of that one alone', async () => {
  const tab = await open('/stuck?tab=shadow&queue=..');
  await tab.page.getByRole('button', { name: 'Change level' }).click();
  const dialog = tab.page.getByRole('dialog');
  await dialog.getByLabel(/^Approve:/).check();
  await dialog.getByLabel('Reason').fill('trusted too');
  await dialog.getByRole('button', { name: 'Change level' }).click();
  await dialog.waitFor({ state: 'detached' });
  await tab.page.getByText('approving').waitFor();
  expect(await dashboard.service.call('GET', '/v1/queue/levels?queue=..')).toMatchObject({ queue: '..', overrides: [{ level: 'approve', by: 'operator', reason: 'trusted too' }] });
  tab.expectNoFaults();
});

it('approves what was said before of one queue, and all that waits, as many as it has counted', async () => {
  const tab = await open('/stuck?queue=reports');
  await approveBy(tab, 'Approve what was said before', /Lets one would-have in the queue reports be done/);
  await stories.until('report-1', 'requeued', 'reports');
  await tab.goto('/stuck?queue=emails');
  await approveBy(tab, 'Approve all', /Lets 2 proposals in the queue emails be done/);
  for (const id of ['mail-1', 'mail-2']) {
    await stories.until(id, 'requeued', 'emails');
    expect((await stories.job(id, 'emails'))['decisions']).toMatchObject([{ evidence: { approval: { by: 'operator', reason: 'its host is gone' } } }, {}]);
  }
  await tab.page.getByText(/^Nothing is stuck:/).waitFor();
});

it('stands on a phone in the dark: nothing to scroll sideways, nothing serious for axe', async () => {
  const tab = await open('/stuck', 'operator', { scheme: 'dark', size: 'phone' });
  for (const name of ['Now', 'Runs', 'Shadow report']) {
    await tab.page.getByRole('tab', { name }).click();
    await tab.page.getByRole('tabpanel').getByRole('heading').first().waitFor();
    await tab.expectAccessible();
    await tab.expectNoSidewaysScroll();
  }
  tab.expectNoFaults();
});

async function approveBy(tab: Tab, label: string, says: RegExp): Promise<void> {
  await tab.page.getByRole('button', { name: label }).click();
  const dialog = tab.page.getByRole('dialog');
  await dialog.getByText(says).waitFor();
  await dialog.getByLabel('Reason').fill('its host is gone');
  await dialog.getByRole('button', { name: label }).click();
  await dialog.getByText(/looked at now/).waitFor();
  await dialog.getByRole('button', { name: 'Done' }).click();
}
