import { readFileSync } from 'node:fs';
import { waitUntil } from '#libs/testing';
import { beforeAll, expect, it } from 'vitest';
import { LETTER_POLICY, LetterStories } from './dead-letter-stories.js';
import { useDashboard } from './harness/dashboard.js';
import { TOKENS } from './harness/service.js';
import type { Tab } from './harness/tab.js';

const HOSTILE = '<img src=x onerror=alert(1)> \u202egnp';
const dashboard = useDashboard({ policy: LETTER_POLICY });

let stories: LetterStories;
beforeAll(async () => {
  stories = new LetterStories(dashboard.service);
  await Promise.all([
    stories.die(['mail-1', 'mail-2', 'mail-3', 'mail-4']),
    stories.die([HOSTILE], { queue: 'hostile', class: HOSTILE, message: HOSTILE, kind: HOSTILE }),
    stories.die(Array.from({ length: 9 }, (_, i) => `slow-${String(i)}`), { queue: 'slow' }),
    stories.die(['one-1', 'one-2', 'one-3', 'one-4'], { queue: 'single' }),
  ]);
  await stories.comeBack('mail-1');
}, 60_000);

async function open(path: string, token: keyof typeof TOKENS = 'operator', look: Parameters<typeof dashboard.open>[0] = {}): Promise<Tab> {
  const tab = await dashboard.open({ token: TOKENS[token], ...look });
  await tab.goto(path);
  return tab;
}

/** Opens the dialog, gives the reason, confirms. */
async function act(tab: Tab, label: string, { says, reason, before }: { readonly says: RegExp; readonly reason?: string; readonly before?: () => Promise<void> }): Promise<void> {
  await tab.page.getByRole('button', { name: label, exact: true }).click();
  const dialog = tab.page.getByRole('dialog');
  await dialog.getByText(says).first().waitFor();
  await before?.();
  if (reason !== undefined) await dialog.getByLabel('Reason').fill(reason);
  await dialog.getByRole('button', { name: label, exact: true }).click();
}

const letterPath = (queue: string, id: string): string => `/dead-letters?${new URLSearchParams({ queue, id }).toString()}`;

it('shows what they died of, follows what comes, and says without the scope why nothing can be done', async () => {
  const tab = await open('/dead-letters', 'reader');
  await tab.page.getByRole('link', { name: 'SmtpError: mailbox of order <n> unknown' }).first().waitFor();
  await tab.page.getByText('Nobody has looked through them yet.').waitFor();
  await stories.die(['late-1'], { queue: 'late', message: 'greylisted' });
  await tab.page.getByRole('link', { name: 'SmtpError: greylisted' }).waitFor();
  const review = tab.page.getByRole('button', { name: 'Mark all as reviewed' });
  expect(await review.getAttribute('aria-description')).toContain('Needs the scope “operate”');
  await tab.expectAccessible();
  await tab.page.getByLabel('Queue').selectOption('mails');
  await expect.poll(() => tab.page.getByRole('listitem').filter({ has: tab.page.getByRole('img') }).count()).toBe(1);
  expect(new URL(tab.page.url()).searchParams.get('queue')).toBe('mails');
  tab.expectNoFaults();
});

it('shows hostile names as text, in the list, the pattern and the letter', async () => {
  const tab = await open('/dead-letters?queue=hostile');
  const shown = '<img src=x onerror=alert(1)> \\u{202e}gnp';
  await tab.page.getByRole('link', { name: /^<img src=x onerror/ }).click();
  await tab.page.getByRole('heading', { level: 1, name: /^<img src=x/ }).waitFor();
  await tab.page.getByRole('link', { name: shown }).click();
  await tab.page.getByRole('heading', { level: 1, name: `Dead letter ${shown}` }).waitFor();
  await tab.page.getByText('Failed, and was not to be tried again. It died with attempt 1.').waitFor();
  await tab.expectAccessible();
  await tab.page.getByRole('link', { name: 'All that died of the same' }).click();
  await tab.page.getByRole('heading', { name: 'Those that are dead still' }).waitFor();
  tab.expectNoFaults();
});

it('redrives a whole pattern: counts it, says what would be refused, and shows how far it is', async () => {
  const [pattern] = await stories.patterns('mails');
  const tab = await open(`/dead-letters/patterns/${String(pattern?.id)}`);
  await tab.page.getByText('2026.11.30-1').waitFor();
  await tab.page.getByText('send (send.ts)').waitFor();
  await tab.expectAccessible();
  await act(tab, 'Redrive all of them', {
    says: /Sends 4 dead letters of the queue mails round again/,
    reason: 'the relay is back',
    before: async () => {
      await tab.page.getByText('1: redriven as often as they may be (maxRedrives)').waitFor();
      await tab.expectAccessible();
    },
  });
  await tab.page.getByRole('link', { name: 'Watch it' }).click();
  await tab.page.getByText('It is over: 3 are on their way again, 1 were left where they are.').waitFor();
  await tab.page.getByText('1: redriven as often as they may be (maxRedrives)').waitFor();
  await tab.expectAccessible();
  expect(await stories.decisions('mail-2')).toContainEqual(expect.objectContaining({ kind: 'redriven', by: 'operator', reason: 'the relay is back' }));
  expect((await stories.job('mail-1'))['status']).toBe('dead-lettered');
  tab.expectNoFaults();
});

it('goes by the rate that was asked for, and stops', async () => {
  const [pattern] = await stories.patterns('slow');
  const tab = await open(`/dead-letters/patterns/${String(pattern?.id)}`);
  await act(tab, 'Redrive all of them', { says: /Sends 9 dead letters/, reason: 'slowly', before: () => tab.page.getByLabel('How many a second').fill('1') });
  await tab.page.getByRole('link', { name: 'Watch it' }).click();
  await tab.page.getByText(/[1-9] of 9 are dealt with/).waitFor();
  await act(tab, 'Stop it', { says: /stay dead letters/ });
  await tab.page.getByText(/Somebody has stopped it/).waitFor();
  await tab.goto('/dead-letters?tab=redrives&queue=slow');
  await tab.page.getByRole('row').filter({ hasText: 'stopped' }).getByText('slowly').waitFor();
  await tab.expectAccessible();
  const { items } = await dashboard.service.call('GET', '/v1/dead-letters/redrives?queue=slow');
  expect(items).toMatchObject([{ status: 'stopped', perSecond: 1, by: 'operator', reason: 'slowly' }]);
});

it('changes a payload: shows the difference first, and leaves what was not touched byte for byte', async () => {
  const tab = await open(letterPath('single', 'one-1'));
  await tab.page.getByRole('button', { name: 'Edit the payload' }).click();
  const field = tab.page.getByRole('textbox', { name: 'Payload' });
  const text = await field.inputValue();
  await field.fill(text.replace(/\}$/, ''));
  await tab.page.getByText(/^This is no JSON/).waitFor();
  await field.fill(text.replace('ada@example.con', 'ada@example.com'));
  await act(tab, 'Change and redrive', {
    says: /Changes one place in the payload of the job one-1/,
    reason: 'a wrong address',
    before: async () => {
      await tab.page.getByText('− "ada@example.con"').waitFor();
      await tab.page.getByText('+ "ada@example.com"').waitFor();
      await tab.expectAccessible();
    },
  });
  await tab.page.getByText('It is no dead letter any more').waitFor();
  const decisions = await stories.decisions('one-1', 'single');
  expect(decisions.map(({ kind }) => kind)).toEqual(['dead-lettered', 'patched', 'redriven', 'requeued']);
  expect(decisions[1]).toMatchObject({ by: 'operator', reason: 'a wrong address' });
  const { payload } = (await stories.job('one-1', 'single')) as { readonly payload: { readonly hash: string } };
  const response = await fetch(`${dashboard.service.url}/v1/jobs/one/bodies/${payload.hash}?queue=single&id=one-1`, { headers: { authorization: `Bearer ${TOKENS.operator}` } });
  expect(await response.text()).toContain('"to":"ada@example.com","order":9007199254740005');
  tab.expectNoFaults();
});

it('redrives, resolves and discards one, and gives it out as the input of a test', async () => {
  const tab = await open(letterPath('single', 'one-2'));
  const download = tab.page.waitForEvent('download');
  await tab.page.getByRole('button', { name: 'Download as a test’s input' }).click();
  expect(JSON.parse(readFileSync(await (await download).path(), 'utf8'))).toMatchObject({ format: 'jobwarden.dead-letter-fixture.v1', job: { id: 'one-2' } });
  for (const [id, label, says, kind] of [
    ['one-2', 'Redrive', /round again as it is/, 'redriven'],
    ['one-3', 'Resolve', /Declares the job one-3 done/, 'resolved-by-hand'],
    ['one-4', 'Discard', /Gives the job one-4 up/, 'discarded'],
  ] as const) {
    await tab.goto(letterPath('single', id));
    await act(tab, label, { says, reason: `because of ${id}` });
    await tab.page.getByText('It is no dead letter any more').waitFor();
    expect(await stories.decisions(id, 'single')).toContainEqual(expect.objectContaining({ kind, by: 'operator', reason: `because of ${id}` }));
  }
  await tab.goto('/dead-letters?tab=letters&queue=single');
  await tab.page.getByText('No dead letter fits').waitFor();
});

it('keeps what people say: of a pattern, and that all were looked through', async () => {
  await stories.die(['late-2'], { queue: 'late', message: 'quota' });
  const found = (await stories.patterns('late')).find(({ message }) => message === 'quota');
  const tab = await open(`/dead-letters/patterns/${String(found?.id)}`);
  await act(tab, 'Say what is known', { says: /No job is changed/, reason: 'larger boxes', before: () => tab.page.getByLabel(/^Fixed:/).check() });
  await tab.page.getByText('fixed, by operator: “larger boxes”').waitFor();
  await stories.die(['late-3'], { queue: 'late', message: 'quota' });
  await tab.page.getByText('came back').waitFor();
  await tab.goto('/dead-letters?queue=late');
  await act(tab, 'Mark all as reviewed', { says: /in the queue late/, reason: 'told to the shop' });
  await tab.page.getByText(/Last looked through by operator: “told to the shop”/).waitFor();
  await tab.page.getByRole('checkbox', { name: /Only new ones/ }).check();
  await waitUntil('greylisted is no news any more', async () => (await tab.page.getByRole('link', { name: 'SmtpError: greylisted' }).count()) === 0);
  expect(new URL(tab.page.url()).searchParams.get('marked')).toBe('yes');
});

it('stands on a phone in the dark, and says so where there is nothing', async () => {
  const tab = await open('/dead-letters?queue=late', 'operator', { scheme: 'dark', size: 'phone' });
  const [pattern] = await stories.patterns('late');
  for (const [path, axe] of [
    ['/dead-letters?queue=late', true],
    ['/dead-letters?tab=letters', true],
    [`/dead-letters/patterns/${String(pattern?.id)}`, true],
    [letterPath('late', 'late-1'), true],
    ['/dead-letters/redrives/1', true],
    ['/dead-letters?tab=redrives', false],
    [letterPath('late', 'nobody'), false],
    ['/dead-letters/patterns/999999', false],
    ['/dead-letters/redrives/999999', false],
  ] as const) {
    await tab.goto(path);
    await expect.poll(() => tab.page.getByRole('status').filter({ hasText: 'Loading' }).count()).toBe(0);
    await tab.expectNoSidewaysScroll();
    if (axe) await tab.expectAccessible();
  }
  await tab.page.getByText('No such run').waitFor();
  tab.expectNoFaults();
});
