import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { waitUntil } from '#libs/testing';
import { useDashboard } from './harness/dashboard.js';
import { TOKENS } from './harness/service.js';
import type { Tab } from './harness/tab.js';
import { IncidentReceiver } from './incident-receiver.js';
import { ALONE, BAD, GOOD, INCIDENT_POLICY, IncidentStories, simulatedFile, type BadWorker } from './incident-stories.js';

const HOSTILE = '<img src=x onerror=alert(1)>\u202egnp';
const SHOWN = '<img src=x onerror=alert(1)>\\u{202e}gnp';
const receiver = await IncidentReceiver.start();
const dashboard = useDashboard({ policy: `${receiver.webhooks}\n${INCIDENT_POLICY}`, env: { JOBWARDEN_SIMULATED: simulatedFile() }, clockMs: Date.now() - 300_000 });

let stories: IncidentStories;
let worker: BadWorker;
/** Incidents by the queue that they are about. */
const of: Record<'letters' | 'cards' | 'stamps' | 'seeds' | 'parcels', string> = { letters: '', cards: '', stamps: '', seeds: '', parcels: '' };

beforeAll(async () => {
  stories = new IncidentStories(dashboard.service);
  await stories.know(ALONE, 'letters', 'cards', 'stamps', 'seeds', 'parcels', HOSTILE);
  await stories.poison('seeds');
  await stories.sicken('letters', 'cards', 'stamps');
  worker = await stories.bad('letters');
  for (const queue of ['letters', 'cards', 'stamps', 'seeds']) await stories.alert(queue);
  of.parcels = String((await dashboard.service.call('POST', '/v1/incidents', { queue: 'parcels', revision: BAD, reason: HOSTILE }))['incidentId']);
  for (const queue of ['letters', 'cards', 'stamps', 'seeds'] as const) of[queue] = await stories.incidentOf(queue);
  for (const queue of ['letters', 'cards', 'stamps'] as const) await stories.reaches(of[queue], 'waiting-for-approval');
  await stories.reaches(of.parcels, 'escalated');
}, 60_000);
afterAll(async () => {
  await receiver.stop();
});

const open = async (path: string, token: keyof typeof TOKENS = 'operator', options: Parameters<typeof dashboard.open>[0] = {}): Promise<Tab> => {
  const tab = await dashboard.open({ token: TOKENS[token], ...options });
  await tab.goto(path);
  return tab;
};

/** Opens an action, gives its reason, confirms it, and waits until the dialog has gone. */
async function act({ page }: Tab, label: string, reason: string | null): Promise<void> {
  await page.getByRole('button', { name: label, exact: true }).first().click();
  const dialog = page.getByRole('dialog');
  if (reason !== null) await dialog.getByLabel('Reason').fill(reason);
  await dialog.getByRole('button', { name: label, exact: true }).click();
  await dialog.waitFor({ state: 'detached' });
}

/** By the keyboard alone, to something of this name; whoever looks sees where the focus is. */
async function focus(tab: Tab, name: RegExp): Promise<void> {
  const walked = await tab.tabWalk({ until: name, most: 80 });
  expect(walked.at(-1)).toMatch(name);
  expect(await tab.page.evaluate<boolean>(`document.activeElement.matches(':focus-visible') && getComputedStyle(document.activeElement).outlineStyle !== 'none'`)).toBe(true);
}

const focused = async ({ page }: Tab) => await page.evaluate<string>(`(document.activeElement?.textContent ?? '').trim()`);

describe('open incidents', () => {
  it('are listed with what each asks of whom, where it is, and who has it; those that ask for somebody first', async () => {
    const tab = await open('/incidents');
    const list = tab.page.getByRole('list', { name: 'Open now' });
    await list.getByText('Nothing for now: waits for calm').waitFor();
    const rows = await list.getByRole('listitem').allTextContents();
    expect(rows).toHaveLength(5);
    expect(rows.find((row) => row.includes('letters'))).toMatch(/Read the plan, and approve it or stop it.*in (?:5\d min|1 hr).*a bad revision: v42.*queue letters.*target simulated:mailer.*nobody has it yet/u);
    expect(rows.find((row) => row.includes('parcels'))).toMatch(/Go on by hand: automation has stopped/u);
    expect(rows.at(-1)).toMatch(/a poison job: default\/seeds\/poisonous/u);
    await tab.page.getByText('4 ask for somebody').waitFor();
    await list.getByText(SHOWN).waitFor();
    await tab.expectAccessible();
    tab.expectNoFaults();
  });

  it('of other namespaces are not there for a token that is bound to one: nor their ids', async () => {
    const tab = await open('/incidents', 'tenant');
    await tab.page.getByText('No incident is open').waitFor();
    const shown = await tab.page.getByRole('main').innerHTML();
    for (const name of ['letters', BAD, 'simulated', `/incidents/${of.letters}`]) expect(shown).not.toContain(name);
    await tab.goto(`/incidents/${of.letters}`);
    await tab.page.getByText('There is no such incident').waitFor();
    await tab.page.getByText(/may be of a namespace that your token does not see/u).waitFor();
    await tab.goto(`/incidents/${of.letters}/postmortem`);
    await tab.page.getByText('There is no such incident').waitFor();
    tab.expectNoFaults();
  });

  it('tells whom the page has reached, and whom not yet', async () => {
    const tab = await open(`/incidents/${of.parcels}`);
    const rows = tab.page.getByRole('region', { name: 'Webhooks and what has arrived there' }).getByRole('row');
    const [taken, refused] = [rows.filter({ hasText: '127.0.0.1' }), rows.filter({ hasText: 'localhost' })];
    await taken.getByText('has arrived').first().waitFor();
    await refused.getByText('refused; tried again').first().waitFor();
    await refused.getByText(/so far: answered 503/u).first().waitFor();
    await tab.expectAccessible();
    receiver.mend();
    tab.expectNoFaults();
  });

  it('of a job that takes its workers down names that job, and what would be done; one that was escalated says why, and what to look at', async () => {
    const tab = await open(`/incidents/${of.seeds}`);
    await tab.page.getByText('It comes from a poison job.', { exact: true }).waitFor();
    await tab.page.getByText('One job takes its workers down with it, again and again.').waitFor();
    await tab.page.getByRole('link', { name: 'poisonous' }).first().waitFor();
    await tab.page.getByText('Dead-letter the job default/seeds/poisonous.').waitFor();
    await tab.goto(`/incidents/${of.parcels}`);
    await tab.page.getByText('Automation has stopped. A person has to go on; what is isolated stays isolated.').waitFor();
    await tab.page.getByText('simulated:gone cannot be looked at').first().waitFor();
    await tab.page.getByText('The target is not there. A revision that was refused stays so.').waitFor();
    await tab.page.getByRole('list', { name: 'Steps of this incident' }).getByText('stopped here').waitFor();
    await tab.expectAccessible();
    tab.expectNoFaults();
  });
});

describe('a rollback', () => {
  it('shows the plan and what it rests on; to a reader, why nothing can be done', async () => {
    const tab = await open(`/incidents/${of.letters}`, 'reader');
    await tab.page.getByText('Somebody has to approve. Until then nothing is done.').waitFor();
    await tab.page.getByText(/^9[5-9] % sure$/u).waitFor();
    await tab.page.getByText(/revision: v42, failed or lost: \d+, ended: \d+, failed or lost of others: 0/u).waitFor();
    await tab.page.getByText('Give simulated:mailer the release of v41, with 3 replicas as now.').waitFor();
    expect(await tab.page.getByRole('button', { name: 'Approve', exact: true }).getAttribute('aria-description')).toMatch(/scope “operate”/u);
    await tab.page.getByText('No canary runs now').waitFor();
    await tab.page.getByRole('link', { name: `postmortem of incident ${of.letters}` }).waitFor();
    tab.expectNoFaults();
  });

  it('is approved by the keyboard alone, and then done: isolated, rolled back, let in again, over', async () => {
    const tab = await open(`/incidents/${of.letters}`);
    await tab.page.getByRole('button', { name: 'Approve', exact: true }).waitFor();
    await focus(tab, /^Approve$/u);
    await tab.page.keyboard.press('Enter');
    const dialog = tab.page.getByRole('dialog');
    await dialog.getByText('Refuse v42 everywhere.').waitFor();
    // It takes the focus, keeps it, and gives it back.
    const inside = await tab.tabWalk({ most: 12 });
    expect(inside.filter((name) => name === 'Approve').length).toBeGreaterThan(1);
    expect(inside).not.toContain('Stop it');
    await tab.page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await waitUntil('the focus is back', async () => (await focused(tab)) === 'Approve');
    await tab.page.keyboard.press('Enter');
    await dialog.getByLabel('Reason').waitFor();
    await waitUntil('the reason has the focus', async () => await tab.page.evaluate<boolean>(`document.activeElement?.tagName === 'TEXTAREA'`));
    await tab.page.keyboard.type('the release is at fault');
    await focus(tab, /^Approve$/u);
    await tab.page.keyboard.press('Enter');
    await dialog.waitFor({ state: 'detached' });
    await worker.answers({ header: { reportVersion: 5 } });
    const stages = tab.page.getByRole('list', { name: 'Steps of this incident' });
    await stages.getByText('the release is at fault').waitFor();
    await stories.untilStep(of.letters, 'isolated');
    await stages.getByText(`${BAD} is refused everywhere and holds no live lease`).waitFor();
    await stages.getByText('refused by every replica: no → yes').waitFor();
    await stories.goOn(of.letters, 'letters', (steps) => steps.at(-1)?.type === 'resolved');
    await tab.page.getByText('It is over.').waitFor();
    await stages.getByText(`3 replicas of ${GOOD} are updated and available`).waitFor();
    await tab.page.getByRole('list', { name: 'Shares let in so far' }).getByText('100 %').waitFor();
    expect((await stories.steps(of.letters)).filter(({ by }) => by === 'operator')).toMatchObject([{ type: 'approved', reason: 'the release is at fault', evidence: { answers: 3 } }]);
    await tab.expectAccessible();
    tab.expectNoFaults();
  }, 40_000);

  it('keeps what a bad worker knew of itself, for an admin alone', async () => {
    const tab = await open(`/incidents/${of.letters}`);
    const button = () => tab.page.getByRole('button', { name: 'Download: Diagnostic report' });
    await tab.page.getByText('Heap snapshot: refused by the worker (the worker does not allow it)').waitFor();
    expect(await button().getAttribute('aria-description')).toMatch(/scope “admin”/u);
    const admin = await open(`/incidents/${of.letters}`, 'admin');
    const [download] = await Promise.all([admin.page.waitForEvent('download'), admin.page.getByRole('button', { name: 'Download: Diagnostic report' }).click()]);
    expect(download.suggestedFilename()).toMatch(/^evidence-\d+\.json$/u);
    admin.expectNoFaults();
  });

  it('has a postmortem that is answered and signed by the keyboard, kept as a file, with a task until that is done', async () => {
    const tab = await open(`/incidents/${of.letters}/postmortem`);
    const { page } = tab;
    await page.getByText(/things are missing/u).waitFor();
    expect(await page.getByRole('button', { name: 'Sign', exact: true }).getAttribute('aria-disabled')).toBe('true');
    const { missing } = (await dashboard.service.call('GET', `/v1/incidents/${of.letters}/postmortem`)) as { readonly missing: readonly string[] };
    // The last one by hand, the others as another person does meanwhile: the page is told of each.
    for (const item of missing.slice(1)) await dashboard.service.call('PUT', `/v1/incidents/${of.letters}/postmortem/items/${item}`, { answer: 'yes' });
    await page.getByText('One thing is missing.').waitFor();
    await focus(tab, /^Answer$/u);
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Answer').waitFor();
    await waitUntil('the answer has the focus', async () => await page.evaluate<boolean>(`document.activeElement?.tagName === 'TEXTAREA'`));
    await page.keyboard.insertText(HOSTILE);
    await focus(tab, /^Answer$/u);
    await page.keyboard.press('Enter');
    await dialog.waitFor({ state: 'detached' });
    await page.getByText('Nothing is missing: it can be signed.').waitFor();
    await page.getByText(SHOWN).waitFor();
    await page.getByRole('heading', { level: 1 }).focus();
    await focus(tab, /^Sign$/u);
    await page.keyboard.press('Enter');
    await dialog.getByText(/You stand for all of it/u).waitFor();
    await focus(tab, /^Sign$/u);
    await page.keyboard.press('Enter');
    await page.getByText('Signed by operator').waitFor();
    await page.getByRole('button', { name: 'Add a lesson or a task' }).click();
    await dialog.getByLabel('What it says').fill('a timeout for the parser');
    await dialog.getByLabel('Who sees to it').fill('ben');
    await dialog.getByRole('button', { name: 'Add a lesson or a task' }).click();
    await page.getByText('for ben').waitFor();
    await tab.expectAccessible();
    const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: 'Download as Markdown' }).click()]);
    expect(download.suggestedFilename()).toBe(`postmortem-${of.letters}.md`);
    await tab.goto(`/incidents?tab=follow-ups&incident=${of.letters}`);
    await page.getByText('a timeout for the parser').waitFor();
    await act(tab, 'Done', null);
    await page.getByText('Nothing is left to do').waitFor();
    expect(await dashboard.service.call('GET', `/v1/incidents/${of.letters}/postmortem`)).toMatchObject({ open: false, signature: { by: 'operator' }, followUps: [{ owner: 'ben', done: { by: 'operator' } }] });
    tab.expectNoFaults();
  }, 30_000);

  it('leaves a refused revision, which a person lets in again', async () => {
    const tab = await open('/incidents?tab=refused');
    const row = tab.page.getByRole('region', { name: 'Refused now' }).getByRole('row').filter({ hasText: 'letters' });
    await row.getByRole('link', { name: `incident ${of.letters}` }).waitFor();
    const cutOff = async () => tab.page.evaluate<number>(`(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)(document.querySelector('table').parentElement)`);
    for (const width of [375, 1_280]) {
      await tab.page.setViewportSize({ width, height: 900 });
      await expect.poll(cutOff, { message: String(width) }).toBe(0);
    }
    await row.getByRole('button', { name: 'Let in again' }).click();
    const dialog = tab.page.getByRole('dialog');
    await dialog.getByText(`Workers of the revision ${BAD} get work again in the queue letters.`).waitFor();
    await dialog.getByLabel('Reason').fill('mended in v43');
    await dialog.getByRole('button', { name: 'Let in again' }).click();
    await row.waitFor({ state: 'detached' });
    await tab.page.getByText(/let in by operator: mended in v43/u).waitFor();
    const { items } = (await dashboard.service.call('GET', '/v1/revisions/refusals?queue=letters')) as { readonly items: readonly unknown[] };
    expect(items).toMatchObject([{ revision: BAD, incident: of.letters, lifted: { by: 'operator', reason: 'mended in v43' } }]);
    tab.expectNoFaults();
  });
});

describe('a run by refusal alone', () => {
  it('is opened by hand, falls back a step when attempts fail again, and comes to its end', async () => {
    const tab = await open('/incidents');
    await tab.page.getByRole('button', { name: 'Open an incident' }).click();
    const dialog = tab.page.getByRole('dialog');
    await dialog.getByLabel('Queue').selectOption(ALONE);
    await dialog.getByLabel('Revision that is to blame').fill(BAD);
    await dialog.getByText(`The revision ${BAD} of ${ALONE} will be taken out of service`).waitFor();
    await dialog.getByLabel('Reason').fill('it eats mails');
    await dialog.getByRole('button', { name: 'Open an incident' }).click();
    await tab.page.waitForURL(/\/incidents\/\d+$/u);
    const id = /\d+$/u.exec(tab.page.url())?.[0] ?? '';
    await stories.untilStep(id, 'isolated');
    await tab.page.getByText('Watching whether work succeeds again, before more is let in.').waitFor();
    await tab.page.getByText('named by the one who opened it').waitFor();
    const readmitted = (percent: number) => (steps: readonly { readonly type: string; readonly evidence?: Readonly<Record<string, unknown>> }[]) => steps.some(({ type, evidence }) => type === 'readmitting' && evidence?.['percent'] === percent);
    await stories.goOn(id, ALONE, readmitted(100));
    await stories.goOn(id, ALONE, (steps) => steps.some(({ type }) => type === 'readmission-fell-back'), { fails: true });
    await tab.page.getByRole('list', { name: 'Shares let in so far' }).getByText('fell back to 50 %').waitFor();
    await act(tab, 'Say it is over', 'we let it in by hand');
    await tab.page.getByText('It is over.').waitFor();
    expect(await stories.one(id)).toMatchObject({ status: 'resolved', summary: 'it eats mails' });
    tab.expectNoFaults();
  }, 40_000);
});

describe('while somebody reads', () => {
  it('others approve or stop it: what is asked by now is said in words, and nothing is approved that was not read', async () => {
    const tab = await open(`/incidents/${of.cards}`);
    const dialog = tab.page.getByRole('dialog');
    const opens = async (label: string) => {
      await tab.page.getByRole('button', { name: label, exact: true }).click();
      await dialog.getByLabel('Reason').fill('I have read it');
    };
    const confirms = async (label: string) => await dialog.getByRole('button', { name: label, exact: true }).click();
    await opens('Approve');
    await dialog.getByText('Refuse v42 everywhere.').waitFor();
    await dashboard.service.call('POST', `/v1/incidents/${of.cards}/approve`, { reason: 'I am awake' });
    await stories.untilStep(of.cards, 'isolated');
    await dashboard.service.pass(61_000);
    await stories.reaches(of.cards, 'escalated');
    await confirms('Approve');
    await dialog.getByText(/Something else is asked by now than what you had read, so nothing was approved/u).waitFor();
    await dialog.getByRole('button', { name: 'Look again' }).click();
    await dialog.getByText('Lets it go on where it stands', { exact: false }).waitFor();
    expect((await stories.types(of.cards)).filter((type) => type === 'approved')).toHaveLength(1);
    await dashboard.service.call('PUT', '/v1/actions', { enabled: false, reason: 'while we look' });
    await dashboard.service.call('POST', `/v1/incidents/${of.cards}/approve`, { reason: 'once more' });
    await confirms('Approve');
    await dialog.getByText(/somebody else has answered, or it has gone on/u).waitFor();
    await tab.page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await tab.page.getByText('All actions are stopped: nothing is done').waitFor();
    await opens('Stop it');
    await dashboard.service.call('POST', `/v1/incidents/${of.cards}/abort`, { reason: 'we mend it forward' });
    await confirms('Stop it');
    await dialog.getByText(/Somebody else has stopped it already/u).waitFor();
    await tab.page.keyboard.press('Escape');
    await dashboard.service.call('PUT', '/v1/actions', { enabled: true, reason: 'go on' });
    await stories.untilStep(of.cards, 'resolved');
    await tab.page.getByText('It is over.').waitFor();
    tab.expectNoFaults();
  }, 40_000);

  it('the hour for an approval may run out: a person is asked all the same, sees the same plan, and lets it go on', async () => {
    const tab = await open(`/incidents/${of.stamps}`);
    await tab.page.getByText('If nobody has approved by then, it is escalated; an approval lets it go on all the same.').waitFor();
    await dashboard.service.pass(3_601_000);
    await tab.page.getByText('Nobody answered for an hour. An approval lets it go on all the same.').waitFor();
    await tab.page.getByRole('button', { name: 'Approve', exact: true }).click();
    await tab.page.getByRole('dialog').getByText('Refuse v42 everywhere.').waitFor();
    await tab.page.keyboard.press('Escape');
    // While it goes away it still takes what is typed.
    await tab.page.getByRole('dialog').waitFor({ state: 'detached' });
    await act(tab, 'Approve', 'late, and still right');
    await tab.page.getByRole('list', { name: 'Steps of this incident' }).getByText('late, and still right').waitFor();
    await act(tab, 'Stop it', 'enough seen');
    await stories.untilStep(of.stamps, 'resolved');
    await tab.page.getByText('It is over.').waitFor();
    tab.expectNoFaults();
  }, 30_000);
});

describe('the lists', () => {
  it('keep their filters in the address, and say of an incident that is not there what to do', async () => {
    const tab = await open('/incidents?state=resolved&cause=bad_revision');
    await tab.page.getByRole('list', { name: 'Past' }).getByRole('link', { name: 'it eats mails' }).waitFor();
    expect(await tab.page.getByRole('heading', { name: 'Open now' }).count()).toBe(0);
    await tab.page.getByLabel('Cause').selectOption('memory');
    await tab.page.getByText('No incident matches these filters').waitFor();
    await tab.expectInAddress({ state: 'resolved', cause: 'memory', tab: null });
    await tab.page.getByRole('button', { name: 'Clear filters' }).click();
    await tab.page.getByRole('heading', { name: 'Open now' }).waitFor();
    await tab.goto('/incidents/4711');
    await tab.page.getByText('There is no such incident').waitFor();
    await tab.page.getByRole('link', { name: 'All incidents' }).last().click();
    await tab.page.getByRole('heading', { level: 1, name: 'Incidents' }).waitFor();
    tab.expectNoFaults();
  });

  it('are told of maintenance and of signals as they come, and read their pages to the end', async () => {
    const tab = await open('/incidents?tab=maintenance');
    await tab.page.getByRole('button', { name: 'Begin maintenance' }).click();
    const dialog = tab.page.getByRole('dialog');
    await dialog.getByLabel('Of which queue').selectOption('seeds');
    await dialog.getByText('Signals of queue seeds lead to nothing for 1 hour').waitFor();
    await dialog.getByLabel('Reason').fill('a migration');
    await dialog.getByRole('button', { name: 'Begin maintenance' }).click();
    await dialog.waitFor({ state: 'detached' });
    await tab.page.getByRole('cell', { name: 'a migration' }).waitFor();
    const { items } = (await dashboard.service.call('GET', '/v1/maintenance')) as { readonly items: readonly { readonly id: string }[] };
    expect(items).toMatchObject([{ queue: 'seeds', by: 'operator', reason: 'a migration', endedAt: null }]);
    await dashboard.service.call('DELETE', `/v1/maintenance/${items[0]?.id ?? ''}`);
    await tab.page.getByText('ended early').waitFor();
    await tab.page.getByRole('tab', { name: 'Signals' }).click();
    await tab.page.getByText('None so far').or(tab.page.getByRole('region', { name: 'Signals that led to nothing' })).first().waitFor();
    const alerts = Array.from({ length: 60 }, (_, n) => ({ status: 'firing', labels: { action: 'trigger-rollback', queue: `nobody-${String(n)}` }, annotations: {}, startsAt: '2026-01-31T12:00:00Z', fingerprint: `f${String(n)}` }));
    await dashboard.service.call('POST', '/v1/alerts', { version: '4', alerts });
    await tab.page.getByText('nobody-59', { exact: true }).waitFor();
    expect(await tab.page.getByText('nobody-0', { exact: true }).count()).toBe(0);
    await tab.page.getByRole('button', { name: 'Load more' }).click();
    await tab.page.getByText('nobody-0', { exact: true }).waitFor();
    tab.expectNoFaults();
  });

  it('of webhooks show at last what was tried again', async () => {
    const tab = await open(`/incidents/${of.parcels}`);
    const refused = tab.page.getByRole('region', { name: 'Webhooks and what has arrived there' }).getByRole('row').filter({ hasText: 'localhost' });
    await refused.getByText('has arrived').first().waitFor();
    tab.expectNoFaults();
  });

  it('stand on a phone in the dark, as do the pages: nothing to scroll sideways, nothing serious for axe', async () => {
    const tab = await open('/incidents', 'operator', { scheme: 'dark', size: 'phone' });
    for (const name of ['Incidents', 'Signals', 'Maintenance', 'Follow-ups', 'Refused revisions']) {
      await tab.page.getByRole('tab', { name }).click();
      await tab.page.getByRole('tabpanel').getByRole('heading').first().waitFor();
      await tab.expectAccessible();
      await tab.expectNoSidewaysScroll();
    }
    for (const path of [`/incidents/${of.letters}`, `/incidents/${of.letters}/postmortem`]) {
      await tab.goto(path);
      await tab.page.getByRole('heading', { level: 2 }).first().waitFor();
      await tab.expectAccessible();
      await tab.expectNoSidewaysScroll();
    }
    tab.expectNoFaults();
  });
});
