import { expect, it } from 'vitest';
import { Database } from '#libs/postgres';
import { waitUntil } from '#libs/testing';
import { CuttableProxy } from '../harness/cuttable-proxy.js';
import { HOSTILE_SHOWN, letterPath, type Desk } from './desk.js';

/** What is shown, to whom, and while something is not as it should be. */
export function testStates(desk: Desk): void {
  it('shows what they died of, follows what comes, and says without the scope why nothing can be done', async () => {
    const tab = await desk.open('/dead-letters', 'reader');
    await tab.page.getByRole('link', { name: 'SmtpError: mailbox of order <n> unknown' }).first().waitFor();
    await tab.page.getByText('Nobody has looked through them yet.').waitFor();
    await desk.stories.die(['live-1'], { queue: 'live', message: 'greylisted' });
    await tab.page.getByRole('link', { name: 'SmtpError: greylisted' }).waitFor();
    const review = tab.page.getByRole('button', { name: 'Mark all as reviewed' });
    expect(await review.getAttribute('aria-description')).toContain('Needs the scope “operate”');
    await tab.expectAccessible();
    await tab.page.getByLabel('Queue').selectOption('mails');
    await expect.poll(() => tab.page.getByRole('listitem').filter({ has: tab.page.getByRole('img') }).count()).toBe(1);
    await tab.expectInAddress({ queue: 'mails' });
    await tab.go(letterPath('late', 'late-1'), 'Dead letter late-1');
    for (const name of ['Redrive', 'Resolve', 'Discard']) expect(await tab.page.getByRole('button', { name, exact: true }).getAttribute('aria-description')).toContain('Needs the scope “operate”');
    tab.expectNoFaults();
  });

  it('shows hostile names as text, in the list, the pattern and the letter', async () => {
    const tab = await desk.go('/dead-letters?queue=hostile', 'Dead letters');
    await tab.page.getByRole('link', { name: /^<img src=x onerror/ }).click();
    await tab.page.getByRole('heading', { level: 1, name: /^<img src=x/ }).waitFor();
    await tab.page.getByRole('link', { name: HOSTILE_SHOWN }).click();
    await tab.page.getByRole('heading', { level: 1, name: `Dead letter ${HOSTILE_SHOWN}` }).waitFor();
    await tab.page.getByText('Failed, and was not to be tried again. It died with attempt 1.').waitFor();
    await tab.page.getByRole('link', { name: 'All that died of the same' }).click();
    await tab.page.getByRole('heading', { name: 'Those that are dead still' }).waitFor();
    tab.expectNoFaults();
  });

  it('turns the pages of many patterns, each of them on one page', async () => {
    const tab = await desk.go('/dead-letters?queue=many&since=7d', 'Dead letters');
    const links = tab.page.locator('main ul li a');
    const names = async () => await links.allInnerTexts();
    await tab.page.getByText('60 came in, of 60 patterns. In all, 60 are dead still.').waitFor();
    const first = await names();
    await tab.page.getByRole('link', { name: 'Next page' }).click();
    await tab.page.getByText('This is the end of the list.').waitFor();
    const all = [...first, ...(await names())];
    expect(first).toHaveLength(50);
    expect(new Set(all).size).toBe(60);
    await tab.page.getByLabel('Count what came in').selectOption('24h');
    await waitUntil('the list begins anew', async () => (await links.count()) === 50);
    await tab.expectInAddress({ next: null });
  });

  it('shows a token its own namespace alone, and of others not even that there is something', async () => {
    const [foreign] = await desk.stories.patterns('late');
    const tab = await desk.open('/dead-letters', 'tenant');
    await tab.page.getByRole('link', { name: 'SmtpError: sold out' }).waitFor();
    await tab.page.getByText('1 came in, of 1 pattern. In all, 1 is dead still.').waitFor();
    await tab.go(`/dead-letters/patterns/${String(foreign?.id)}`, 'What they died of');
    await tab.page.getByText('No such pattern').waitFor();
    await tab.go(letterPath('late', 'late-1'), 'Dead letter late-1');
    await tab.page.getByText('It is no dead letter any more').waitFor();
    expect(await tab.page.getByText('quota').count()).toBe(0);
  });

  it('says that it is cut off, and reads all that is shown anew once it is not, also what no change has told', async () => {
    const { service } = desk.dashboard;
    const path = await desk.stories.patternPath('late');
    const proxy = await CuttableProxy.start(service.url);
    const tab = await desk.open(path, 'operator', { through: proxy.url });
    await tab.page.getByText('Live', { exact: true }).waitFor();
    await proxy.cut();
    await tab.page.getByText(/nothing can be done until it is back/).waitFor();
    await tab.expectAccessible();
    // Without a trace in what changes are told from: only reading again can show it.
    const database = new Database({ url: service.database.url });
    await database.query(`UPDATE jobwarden.dead_letter_patterns SET kind = 'seen-after-the-cut' WHERE pattern_id = $1`, [path.split('/').at(-1)]);
    await database.close();
    expect(await tab.page.getByText('seen-after-the-cut').count()).toBe(0);
    await proxy.mend();
    // As the browser says it once there is a network again.
    await tab.page.evaluate(`dispatchEvent(new Event('online'))`);
    await tab.page.getByText('seen-after-the-cut').waitFor();
    await tab.page.getByText('Live', { exact: true }).waitFor();
    expect(await tab.page.getByText(/nothing can be done until it is back/).count()).toBe(0);
    await proxy.cut();
  });

  it('says that it loads, what went wrong and what to do, and goes on when that helps', async () => {
    const tab = await desk.open('/dead-letters?tab=redrives');
    const held: (() => Promise<void>)[] = [];
    const problem = { status: 500, contentType: 'application/problem+json', body: JSON.stringify({ title: 'Something failed', detail: 'The database does not answer.', code: 'internal', requestId: 'req-7' }) };
    let broken = true;
    await tab.page.route('**/v1/dead-letters/patterns?**', (route) => {
      if (held.length === 0) held.push(() => route.fulfill(problem));
      else void (broken ? route.fulfill(problem) : route.continue());
    });
    await tab.page.getByRole('tab', { name: 'By cause' }).click();
    await tab.page.getByRole('status').filter({ hasText: 'Loading' }).waitFor();
    await held[0]?.();
    const alert = tab.page.getByRole('alert');
    await alert.getByText('The database does not answer.').waitFor();
    await alert.getByText('req-7').waitFor();
    await tab.expectAccessible();
    broken = false;
    await alert.getByRole('button', { name: 'Try again' }).click();
    await tab.page.getByText(/came in, of \d+ patterns/).waitFor();
  });

  it('stands on a phone in the dark, and says so where there is nothing', async () => {
    const tab = await desk.open('/dead-letters?queue=late', 'operator', { scheme: 'dark', size: 'phone' });
    for (const [path, heading, axe] of [
      ['/dead-letters?queue=late', 'Dead letters', true],
      ['/dead-letters?tab=letters', 'Dead letters', false],
      [await desk.stories.patternPath('late'), 'SmtpError: quota', true],
      [letterPath('late', 'late-1'), 'Dead letter late-1', true],
      ['/dead-letters/redrives/1', 'Redrive 1', true],
      ['/dead-letters?tab=redrives', 'Dead letters', false],
      [letterPath('late', 'nobody'), 'Dead letter nobody', false],
      ['/dead-letters/patterns/999999', 'What they died of', false],
      ['/dead-letters/redrives/999999', 'Redrive 999999', false],
    ] as const) {
      await tab.go(path, heading);
      await expect.poll(() => tab.page.getByRole('status').filter({ hasText: 'Loading' }).count()).toBe(0);
      await tab.expectNoSidewaysScroll();
      if (axe) await tab.expectAccessible();
    }
    await tab.page.getByText('No such run').waitFor();
    tab.expectNoFaults();
  });
}
