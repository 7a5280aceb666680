import { expect, it, describe } from 'vitest';
import { CuttableProxy } from './harness/cuttable-proxy.js';
import { useDashboard } from './harness/dashboard.js';
import { TOKENS } from './harness/service.js';

const dashboard = useDashboard();
const HOSTILE = '<img src=x onerror=alert(1)>\u202egnp/..%2f"\'';

describe('the frame of the dashboard', () => {
  it('asks for a token, says when it is none, and shows the page asked for once there is one', async () => {
    const tab = await dashboard.open();
    await tab.goto('/incidents');
    await tab.expectAccessible();
    await tab.page.getByLabel('Token').fill('wrong');
    await tab.page.keyboard.press('Enter');
    await tab.page.getByRole('alert').waitFor();
    await tab.page.getByLabel('Token').fill(TOKENS.reader);
    await tab.page.keyboard.press('Enter');
    await tab.page.getByRole('heading', { level: 1, name: 'Incidents' }).waitFor();
    expect(new URL(tab.page.url()).pathname).toBe('/incidents');
    expect(await tab.page.evaluate('document.cookie')).toBe('');
    tab.expectNoFaults();
  });

  it('goes back to the token when the one it has is none any more, and shows nothing of what it showed', async () => {
    await dashboard.service.send({ fact: 'queued', id: '1', data: { queue: 'secret-queue' } });
    const tab = await dashboard.open({ token: TOKENS.reader });
    await tab.goto('/');
    await tab.page.getByText('secret-queue').waitFor();
    await tab.page.evaluate(`sessionStorage.setItem('jobwarden.token', 'gone')`);
    await dashboard.service.send({ fact: 'started', id: '1', data: { queue: 'secret-queue', attempt: 1, worker: { id: 'w1' } } });
    await tab.page.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor();
    expect(await tab.page.getByText('secret-queue').count()).toBe(0);
  });

  it('is walked by keyboard: first over the navigation to the content, then page by page with the focus on its heading', async () => {
    const tab = await dashboard.open({ token: TOKENS.operator });
    await tab.goto('/');
    const names = await tab.tabWalk({ until: /^Incidents$/ });
    expect(names[0]).toBe('Skip to the content');
    expect(names).toEqual(expect.arrayContaining(['Overview', 'Jobs', 'Stuck and shadow report', 'Dead letters', 'Incidents']));
    await tab.page.keyboard.press('Enter');
    await tab.page.getByRole('heading', { level: 1, name: 'Incidents' }).waitFor();
    expect(await tab.page.evaluate('document.activeElement.tagName')).toBe('H1');
  });

  it('is used without a mouse, from signing in to an action and back, and always shows where one is', async () => {
    const tab = await dashboard.open();
    const { keyboard } = tab.page;
    await tab.goto('/stuck');
    await keyboard.type(TOKENS.operator);
    await keyboard.press('Enter');
    await tab.page.getByRole('heading', { level: 1, name: 'Stuck and shadow report' }).waitFor();
    await tab.page.getByText('No verdict is overdue.').waitFor();
    await tab.tabWalk({ until: /^Skip to the content$/, focusShown: true });
    await keyboard.press('Enter');
    expect(await tab.page.evaluate('document.activeElement.id')).toBe('content');
    await tab.tabWalk({ until: /^Dry run$/, focusShown: true });
    await keyboard.press('Enter');
    const dialog = tab.page.getByRole('dialog', { name: 'Dry run' });
    await dialog.getByText(/in all queues of this installation/).waitFor();
    const within = await tab.tabWalk({ most: 6, focusShown: true });
    expect(new Set(within)).toEqual(new Set(['Do nothing', 'Dry run']));
    await keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await tab.page.locator('button:focus', { hasText: 'Dry run' }).waitFor();
    tab.expectNoFaults();
  });

  it('sorts a table by its heads, and says to whoever cannot see it how, and how many rows are left', async () => {
    await dashboard.service.send({ fact: 'queued', id: '1', data: { queue: 'sorted' } });
    const tab = await dashboard.open({ token: TOKENS.operator });
    await tab.goto('/');
    await tab.page.getByRole('link', { name: 'sorted' }).waitFor();
    await tab.tabWalk({ until: /^Filter by name$/, focusShown: true });
    await tab.page.keyboard.type('sorted');
    await tab.page.getByRole('status').filter({ hasText: /^1 of/ }).waitFor();
    await tab.tabWalk({ until: /^Queue$/, focusShown: true });
    await tab.page.keyboard.press('Enter');
    await tab.page.locator('[role="columnheader"][aria-sort="ascending"]', { hasText: 'Queue' }).waitFor();
    expect(await tab.tabWalk({ until: /^sorted$/, focusShown: true })).toContain('sorted');
  });

  it('is opened and left by the menu on a phone', async () => {
    const tab = await dashboard.open({ token: TOKENS.operator, size: 'phone' });
    await tab.goto('/');
    await tab.page.getByRole('button', { name: 'Open the menu' }).click();
    await tab.page.getByRole('link', { name: 'Jobs', exact: true }).click();
    await tab.page.getByRole('heading', { level: 1, name: 'Jobs' }).waitFor();
    await tab.page.getByRole('button', { name: 'Open the menu' }).waitFor();
    await tab.expectNoSidewaysScroll();
  });

  it('keeps the choice between light and dark', async () => {
    const tab = await dashboard.open({ token: TOKENS.operator, scheme: 'light', fresh: true });
    await tab.goto('/');
    await tab.page.getByLabel('Light or dark').selectOption('dark');
    await tab.goto('/jobs');
    expect(await tab.page.evaluate('document.documentElement.dataset.mantineColorScheme')).toBe('dark');
  });

  it('shows hostile names as text, wherever they stand', async () => {
    await dashboard.service.send({ fact: 'queued', id: HOSTILE, data: { queue: HOSTILE } });
    const tab = await dashboard.open({ token: TOKENS.reader });
    await tab.goto('/');
    await tab.page.getByText('\\u{202e}gnp').first().waitFor();
    expect(await tab.page.locator('img[src="x"]').count()).toBe(0);
    tab.expectNoFaults();
  });

  it('shows what happens while it is looked at, says so when it cannot, and reads everything anew once it can', async () => {
    const proxy = await CuttableProxy.start(dashboard.service.url);
    const tab = await dashboard.open({ token: TOKENS.reader, through: proxy.url });
    try {
      await tab.goto('/');
      const live = tab.page.getByText('Live', { exact: true });
      await live.waitFor();
      await dashboard.service.send({ fact: 'queued', id: 'live-1', data: { queue: 'appears-live' } });
      await tab.page.getByText('appears-live').first().waitFor();
      const told = (words: string) => tab.page.getByRole('status').filter({ hasText: words }).waitFor({ state: 'attached' });
      await proxy.cut();
      await told('The service does not answer');
      await tab.page.getByText('nothing can be done until it is back').waitFor();
      await dashboard.service.send({ fact: 'queued', id: 'live-2', data: { queue: 'appears-again' } });
      await proxy.mend();
      await tab.page.getByRole('link', { name: 'appears-again' }).waitFor();
      await live.waitFor();
      await told('The live connection is back.');
      tab.expectNoFaults();
    } finally {
      await proxy.cut().catch(() => undefined);
    }
  });
});
