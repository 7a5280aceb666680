import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { waitUntil } from '#libs/testing';
import { letterPath, type Desk } from './desk.js';

/** Each action, to its effect in the log. */
export function testActions(desk: Desk): void {
  it('redrives a whole pattern: counts it, says what would be refused, and shows how far it is', async () => {
    const { stories } = desk;
    await desk.backAgain;
    const tab = await desk.go(await stories.patternPath('mails'), /mailbox/);
    await tab.page.getByText('2026.11.30-1').waitFor();
    await tab.page.getByText('send (send.ts)').waitFor();
    await tab.expectAccessible();
    await desk.act(tab, 'Redrive all of them', {
      says: /Sends 4 dead letters of the queue mails round again/,
      reason: 'the relay is back',
      before: async () => {
        await tab.page.getByText('1: redriven as often as they may be (maxRedrives)').waitFor();
        await tab.expectAccessible();
      },
    });
    await tab.page.getByRole('link', { name: 'Watch it' }).click();
    await tab.page.getByText('It is over: 3 were put back into their queue, 1 was left where it is.').waitFor();
    await tab.page.getByText('1: redriven as often as they may be (maxRedrives)').waitFor();
    await tab.expectAccessible();
    expect(await stories.decisions('mail-2')).toContainEqual(expect.objectContaining({ kind: 'redriven', by: 'operator', reason: 'the relay is back' }));
    expect((await stories.job('mail-1'))['status']).toBe('dead-lettered');
    tab.expectNoFaults();
  });

  it('sends nothing where others are dead by then, and counts again', async () => {
    const { stories } = desk;
    const tab = await desk.go(await stories.patternPath('raced', 'raced'), 'SmtpError: raced');
    await desk.act(tab, 'Redrive all of them', { says: /Sends 2 dead letters/, reason: 'now', before: () => stories.redrive('raced-1', 'raced') });
    const dialog = tab.page.getByRole('dialog');
    await dialog.getByText('There are 1 by now instead of 2. Look again before you send them.').waitFor();
    await dialog.getByRole('button', { name: 'Look again' }).click();
    await dialog.getByText(/Sends one dead letter of the queue raced/).waitFor();
    expect(await dialog.getByLabel('Reason').inputValue()).toBe('now');
    await stories.redrive('raced-2', 'raced');
    await dialog.getByRole('button', { name: 'Redrive all of them' }).click();
    await dialog.getByText('None of the 1 is dead any more: somebody was quicker.').waitFor();
    await tab.page.keyboard.press('Escape');
    await tab.page.getByText('None is dead any more').waitFor();
    expect(await tab.page.getByRole('button', { name: 'Redrive all of them' }).getAttribute('aria-description')).toBe('All of them were redriven, resolved or discarded.');
    expect((await desk.dashboard.service.call('GET', '/v1/dead-letters/redrives?queue=raced'))['items']).toEqual([]);
  });

  it('goes by the rate that was asked for, and stops, also by somebody else while one is about to', async () => {
    const { service } = desk.dashboard;
    const tab = await desk.go(await desk.stories.patternPath('slow'), /mailbox/);
    const start = async () => {
      await desk.act(tab, 'Redrive all of them', { says: /Sends \d dead letters/, reason: 'slowly', before: () => tab.page.getByLabel('How many a second').fill('1') });
      await tab.page.getByRole('link', { name: 'Watch it' }).click();
    };
    await start();
    await tab.page.getByText(/[1-9] of \d are dealt with/).waitFor();
    await desk.act(tab, 'Stop it', { says: /stay dead letters/ });
    await tab.page.getByText(/operator has stopped it: \d (was|were) put back into (its|their) queue, \d (was|were) not looked at and (is a dead letter|are dead letters) still/).waitFor();
    await tab.go(await desk.stories.patternPath('slow'), /mailbox/);
    await start();
    const id = tab.page.url().split('/').at(-1)?.split('?')[0] ?? '';
    await desk.act(tab, 'Stop it', { says: /stay dead letters/, before: async () => await service.call('POST', `/v1/dead-letters/redrives/${id}/stop`, {}) });
    await tab.page.getByRole('dialog').getByText(/It is over already: it has come to its end, or somebody was quicker/).waitFor();
    await tab.page.keyboard.press('Escape');
    await tab.page.getByText(/^admin has stopped it/).waitFor();
    expect(await tab.page.getByRole('button', { name: 'Stop it' }).getAttribute('aria-description')).toBe('It is over already.');
    await tab.go('/dead-letters?tab=redrives&queue=slow', 'Dead letters');
    await expect.poll(() => tab.page.getByRole('row').filter({ hasText: 'stopped' }).filter({ hasText: 'slowly' }).count()).toBe(2);
    await tab.expectAccessible();
    const { items } = await service.call('GET', '/v1/dead-letters/redrives?queue=slow');
    expect(items).toMatchObject([{ stoppedBy: 'admin' }, { status: 'stopped', perSecond: 1, by: 'operator', stoppedBy: 'operator', reason: 'slowly' }]);
  });

  it('redrives, resolves and discards one, and gives it out as the input of a test', async () => {
    const { stories } = desk;
    const tab = await desk.go(letterPath('single', 'one-2'), 'Dead letter one-2');
    const download = tab.page.waitForEvent('download');
    await tab.page.getByRole('button', { name: 'Download as a test’s input' }).click();
    expect(JSON.parse(readFileSync(await (await download).path(), 'utf8'))).toMatchObject({ format: 'jobwarden.dead-letter-fixture.v1', job: { id: 'one-2' } });
    for (const [id, label, says, kind, fate] of [
      ['one-2', 'Redrive', /round again as it is/, 'redriven', 'operator has sent it round again'],
      ['one-3', 'Resolve', /Declares the job one-3 done/, 'resolved-by-hand', 'operator has declared it done'],
      ['one-4', 'Discard', /Gives the job one-4 up/, 'discarded', 'operator has given it up'],
    ] as const) {
      await tab.go(letterPath('single', id), `Dead letter ${id}`);
      await desk.act(tab, label, { says, reason: `because of ${id}` });
      await tab.page.getByText(`${fate}: “because of ${id}”`).waitFor();
      expect(await stories.decisions(id, 'single')).toContainEqual(expect.objectContaining({ kind, by: 'operator', reason: `because of ${id}` }));
    }
    // The button is gone, and the focus has not gone with it.
    await waitUntil('the heading has the focus', async () => (await tab.page.evaluate('document.activeElement.tagName')) === 'H1');
    await tab.go('/dead-letters?tab=letters&queue=single&kind=nobody', 'Dead letters');
    await tab.page.getByText('No dead letter fits').waitFor();
  });

  it('keeps what people say: of a pattern, and that all were looked through; and shows what others say as they do', async () => {
    const { stories, dashboard } = desk;
    const path = await stories.patternPath('late');
    const tab = await desk.go(path, 'SmtpError: quota');
    await dashboard.service.call('POST', `/v1${path}/review`, { outcome: 'seen', reason: 'we look into it' });
    await tab.page.getByText('seen, by admin: “we look into it”').waitFor();
    await desk.act(tab, 'Say what is known', { says: /No job is changed/, reason: 'larger boxes', before: () => tab.page.getByLabel(/^Fixed:/).check() });
    await tab.page.getByText('fixed, by operator: “larger boxes”').waitFor();
    await tab.page.getByText('seen, by admin: “we look into it”').waitFor();
    await stories.die(['late-3'], { queue: 'late', message: 'quota' });
    await tab.page.getByText('came back').waitFor();
    await tab.go('/dead-letters?queue=late&since=7d', 'Dead letters');
    await dashboard.service.call('POST', '/v1/dead-letters/reviews', { queue: 'late', reason: 'seen from the other side' });
    await tab.page.getByText(/Last looked through by admin: “seen from the other side”/).waitFor();
    await desk.act(tab, 'Mark all as reviewed', { says: /in the queue late/, reason: 'told to the shop' });
    await tab.page.getByText(/Last looked through by operator: “told to the shop”/).waitFor();
    await tab.page.getByRole('checkbox', { name: /Only new ones/ }).click();
    await tab.page.getByText('1 pattern that is new or came back', { exact: false }).waitFor();
    await tab.expectInAddress({ marked: 'yes' });
  });
}
