import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { waitUntil } from '#libs/testing';
import { useDashboard } from './harness/dashboard.js';
import { TOKENS } from './harness/service.js';
import type { Tab } from './harness/tab.js';
import { ALONE, BAD, INCIDENT_POLICY, IncidentStories, simulatedFile } from './incident-stories.js';

const dashboard = useDashboard({ policy: INCIDENT_POLICY, env: { JOBWARDEN_SIMULATED: simulatedFile() } });
const HOSTILE = '<img src=x onerror=alert(1)>\u202egnp';

let stories: IncidentStories;
let waiting: string;
beforeAll(async () => {
  stories = new IncidentStories(dashboard.service);
  await stories.know(ALONE, 'letters', 'stamps', HOSTILE);
}, 60_000);
afterAll(async () => {
  await stories.close();
});

const open = async (path: string, token: keyof typeof TOKENS = 'operator', options: Parameters<typeof dashboard.open>[0] = {}): Promise<Tab> => {
  const tab = await dashboard.open({ token: TOKENS[token], ...options });
  await tab.goto(path);
  return tab;
};

/** Opens an action, gives its reason, confirms it, and waits until the dialog has gone. */
async function act(tab: Tab, label: string, reason: string | null): Promise<void> {
  await tab.page.getByRole('button', { name: label, exact: true }).first().click();
  const dialog = tab.page.getByRole('dialog');
  if (reason !== null) await dialog.getByLabel('Reason').fill(reason);
  await dialog.getByRole('button', { name: label, exact: true }).click();
  await dialog.waitFor({ state: 'detached' });
}

const textOf = async (tab: Tab, role: 'dialog' | 'list', name?: string) => (await tab.page.getByRole(role, name === undefined ? {} : { name }).first().textContent()) ?? '';

describe('a run by refusal alone', () => {
  let id = '';

  it('is opened by hand, and is watched from its opening to its end', async () => {
    const tab = await open('/incidents');
    await tab.page.getByText('No incident is open').waitFor();
    await tab.page.getByRole('button', { name: 'Open an incident' }).click();
    const dialog = tab.page.getByRole('dialog');
    await dialog.getByLabel('Queue').selectOption(ALONE);
    await dialog.getByLabel('Revision that is to blame').fill(BAD);
    await dialog.getByText(`The revision ${BAD} of ${ALONE} will be taken out of service`).waitFor();
    await dialog.getByLabel('Reason').fill('it eats mails');
    await dialog.getByRole('button', { name: 'Open an incident' }).click();
    await tab.page.waitForURL(/\/incidents\/\d+$/u);
    id = /\d+$/u.exec(tab.page.url())?.[0] ?? '';
    await tab.page.getByRole('heading', { level: 1, name: 'it eats mails' }).waitFor();
    await tab.page.getByText('Watching whether work succeeds again, before more is let in.').waitFor();
    const stages = tab.page.getByRole('list', { name: 'Steps of this incident' });
    await stages.getByText('refused by every replica: no → yes').waitFor();
    await stages.getByText(`${BAD} is refused everywhere and holds no live lease`).waitFor();
    await tab.page.getByText('It comes from a bad revision.', { exact: true }).waitFor();
    await tab.page.getByText('named by the one who opened it').waitFor();
    let sent = 0;
    await waitUntil('it is over', async () => {
      await stories.succeeds(ALONE, sent, 2);
      sent += 2;
      return (await stories.status(id)) === 'resolved';
    }, { withinMs: 30_000 });
    await tab.page.getByText('It is over.').waitFor();
    await tab.page.getByRole('list', { name: 'Shares let in so far' }).getByText('100 %').waitFor();
    expect((await stories.one(id))['steps']).toMatchObject([{ type: 'opened', by: 'operator', reason: 'it eats mails' }, { type: 'cause-assessed' }, ...Array.from({ length: (await stories.types(id)).length - 2 }, () => ({}))]);
    await tab.expectAccessible();
    tab.expectNoFaults();
  }, 60_000);

  it('leaves a refused revision, which a person lets in again', async () => {
    const tab = await open('/incidents?tab=refused');
    const row = tab.page.getByRole('row').filter({ hasText: BAD });
    await row.first().waitFor();
    await tab.page.getByRole('button', { name: 'Let in again' }).click();
    expect(await textOf(tab, 'dialog')).toContain(`Workers of the revision ${BAD} get work again`);
    await tab.page.keyboard.press('Escape');
    await act(tab, 'Let in again', 'mended in v43');
    await tab.page.getByText('No revision is refused').waitFor();
    await tab.page.getByText(/let in by operator: mended in v43/u).waitFor();
    const { items } = (await dashboard.service.call('GET', '/v1/revisions/refusals')) as { readonly items: readonly unknown[] };
    expect(items).toMatchObject([{ revision: BAD, incident: id, lifted: { by: 'operator', reason: 'mended in v43' } }]);
  });

  it('has a postmortem that is answered, signed and kept as a file, with a task until that is done', async () => {
    const tab = await open(`/incidents/${id}/postmortem`);
    const { page } = tab;
    await page.getByText(/things are missing/u).waitFor();
    const sign = page.getByRole('button', { name: 'Sign', exact: true });
    expect(await sign.getAttribute('aria-disabled')).toBe('true');
    const { missing } = (await dashboard.service.call('GET', `/v1/incidents/${id}/postmortem`)) as { readonly missing: readonly string[] };
    // One by hand, the others as another person does meanwhile: the page hears nothing of those, and reads them with its own answer.
    for (const item of missing.slice(1)) await dashboard.service.call('PUT', `/v1/incidents/${id}/postmortem/items/${item}`, { answer: 'yes' });
    await page.getByText('a person has to answer').first().waitFor();
    await page.getByRole('listitem').filter({ hasText: 'a person has to answer' }).first().getByRole('button', { name: 'Answer' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Answer').fill(HOSTILE);
    await dialog.getByRole('button', { name: 'Answer', exact: true }).click();
    await dialog.waitFor({ state: 'detached' });
    await page.getByText('Nothing is missing: it can be signed.').waitFor();
    await page.getByText('<img src=x onerror=alert(1)>\\u{202e}gnp').waitFor();
    await act(tab, 'Sign', 'read by the team');
    await page.getByText('Signed by operator').waitFor();
    await page.getByRole('button', { name: 'Add a lesson or a task' }).click();
    await dialog.getByLabel('What it says').fill('a timeout for the parser');
    await dialog.getByLabel('Who sees to it').fill('ben');
    await dialog.getByRole('button', { name: 'Add a lesson or a task' }).click();
    await page.getByText('for ben').waitFor();
    await tab.expectAccessible();
    const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: 'Download as Markdown' }).click()]);
    expect(download.suggestedFilename()).toBe(`postmortem-${id}.md`);
    await tab.goto('/incidents?tab=follow-ups');
    await page.getByText('a timeout for the parser').waitFor();
    await act(tab, 'Done', null);
    await page.getByText('Nothing is left to do').waitFor();
    expect(await dashboard.service.call('GET', `/v1/incidents/${id}/postmortem`)).toMatchObject({ open: false, signature: { by: 'operator', note: 'read by the team' }, followUps: [{ owner: 'ben', done: { by: 'operator' } }] });
    tab.expectNoFaults();
  });
});

describe('one that waits for a person', () => {
  beforeAll(async () => {
    waiting = await stories.waiting();
  }, 30_000);

  it('shows the plan, the evidence with its figures, and to a reader why nothing can be done', async () => {
    const tab = await open(`/incidents/${waiting}`, 'reader');
    await tab.page.getByText('The stop switch is off: nothing is done').waitFor();
    await tab.page.getByText('Somebody has to approve. Until then nothing is done.').waitFor();
    await tab.page.getByText('97 % sure').waitFor();
    await tab.page.getByText('revision v42, bad 41, ended 50, others bad 1, others ended 120').waitFor();
    await tab.page.getByText('Healthy: <img src=x onerror=alert(1)>\\u{202e}').first().waitFor();
    const approve = tab.page.getByRole('button', { name: 'Approve', exact: true });
    expect(await approve.getAttribute('aria-description')).toMatch(/scope “operate”/u);
    await tab.page.getByText('The gate is closed until the postmortem is signed.').waitFor();
    await tab.expectAccessible();
    tab.expectNoFaults();
  });

  it('is approved after one has read what will be done, and stopped', async () => {
    const tab = await open(`/incidents/${waiting}`);
    await tab.page.getByRole('button', { name: 'Make an approval link' }).click();
    await tab.page.getByRole('dialog').getByRole('button', { name: 'Make an approval link' }).click();
    await tab.page.getByRole('dialog').getByText(/\/v1\/incidents\/\d+\/approval\?/u).waitFor();
    await tab.page.getByRole('dialog').getByRole('button', { name: 'Done' }).click();
    await tab.page.getByRole('dialog').waitFor({ state: 'detached' });
    await tab.page.getByRole('button', { name: 'Approve', exact: true }).click();
    await tab.page.getByRole('dialog').getByText(/Refuse v42 everywhere\./u).waitFor();
    await tab.page.keyboard.press('Escape');
    await tab.page.getByRole('dialog').waitFor({ state: 'detached' });
    await act(tab, 'Approve', 'the release is at fault');
    await waitUntil('it is approved', async () => (await stories.types(waiting)).includes('approved'));
    await tab.page.getByRole('list', { name: 'Steps of this incident' }).getByText('the release is at fault').waitFor();
    await act(tab, 'Stop it', 'we mend it forward');
    await dashboard.service.call('PUT', '/v1/actions', { enabled: true, reason: 'go on' });
    await waitUntil('it is over', async () => (await stories.status(waiting)) === 'resolved', { withinMs: 15_000 });
    await tab.page.getByText('It is over.').waitFor();
    const { steps } = (await stories.one(waiting)) as { readonly steps: readonly { readonly type: string; readonly by: string; readonly reason: string }[] };
    expect(steps.filter(({ by }) => by === 'operator')).toMatchObject([
      { type: 'approved', reason: 'the release is at fault' },
      { type: 'aborted', reason: 'we mend it forward' },
    ]);
  }, 40_000);

  it('is said to be over by hand', async () => {
    const { incidentId } = await dashboard.service.call('POST', '/v1/incidents', { queue: 'stamps', reason: HOSTILE, dryRun: false });
    const tab = await open(`/incidents/${String(incidentId)}`);
    await tab.page.getByRole('heading', { level: 1, name: '<img src=x onerror=alert(1)>\\u{202e}gnp' }).waitFor();
    await act(tab, 'Say it is over', 'a mistake');
    await tab.page.getByText('It is over.').waitFor();
    expect(await stories.one(String(incidentId))).toMatchObject({ status: 'resolved' });
  });
});

describe('the list', () => {
  it('keeps its filters in the address, and shows what they leave', async () => {
    const tab = await open('/incidents?state=resolved&cause=bad_revision');
    await tab.page.getByRole('list', { name: 'Past' }).getByRole('link', { name: 'it eats mails' }).waitFor();
    expect(await tab.page.getByRole('heading', { name: 'Open now' }).count()).toBe(0);
    await tab.page.getByLabel('Cause').selectOption('memory');
    await tab.page.getByText('No incident matches these filters').waitFor();
    expect(new URL(tab.page.url()).search).toBe('?state=resolved&cause=memory');
    await tab.page.getByRole('button', { name: 'Clear filters' }).click();
    await tab.page.getByRole('heading', { name: 'Open now' }).waitFor();
    await tab.goto('/incidents/4711');
    await tab.page.getByText('There is no such incident').waitFor();
    tab.expectNoFaults();
  });

  it('begins and ends maintenance, and says what became of signals', async () => {
    await dashboard.service.call('POST', '/v1/alerts', {
      version: '4',
      alerts: [{ status: 'firing', labels: { action: 'trigger-rollback', queue: 'nobody' }, annotations: {}, startsAt: new Date().toISOString(), fingerprint: 'f1' }],
    });
    const tab = await open('/incidents?tab=maintenance');
    await tab.page.getByRole('button', { name: 'Begin maintenance' }).click();
    const dialog = tab.page.getByRole('dialog');
    await dialog.getByLabel('Of which queue').selectOption('stamps');
    await dialog.getByText('Signals of queue stamps lead to nothing for 1 hour').waitFor();
    await dialog.getByLabel('Reason').fill('a migration');
    await dialog.getByRole('button', { name: 'Begin maintenance' }).click();
    await tab.page.getByText('on now').waitFor();
    expect((await dashboard.service.call('GET', '/v1/maintenance'))['items']).toMatchObject([{ queue: 'stamps', by: 'operator', reason: 'a migration', endedAt: null }]);
    await act(tab, 'End', null);
    await tab.page.getByText('ended early').waitFor();
    expect((await dashboard.service.call('GET', '/v1/maintenance'))['items']).toMatchObject([{ endedBy: 'operator' }]);
    await tab.page.getByRole('tab', { name: 'Signals' }).click();
    await tab.page.getByText('No event has named its queue.', { exact: false }).waitFor();
    tab.expectNoFaults();
  });

  it('stands on a phone in the dark: nothing to scroll sideways, nothing serious for axe', async () => {
    const tab = await open('/incidents', 'operator', { scheme: 'dark', size: 'phone' });
    for (const name of ['Incidents', 'Signals', 'Maintenance', 'Follow-ups', 'Refused revisions']) {
      await tab.page.getByRole('tab', { name }).click();
      await tab.page.getByRole('tabpanel').getByRole('heading').first().waitFor();
      await tab.expectAccessible();
      await tab.expectNoSidewaysScroll();
    }
    for (const path of [`/incidents/${waiting}`, `/incidents/${waiting}/postmortem`]) {
      await tab.goto(path);
      await tab.page.getByRole('heading', { level: 2 }).first().waitFor();
      await tab.expectAccessible();
      await tab.expectNoSidewaysScroll();
    }
    tab.expectNoFaults();
  });
});
