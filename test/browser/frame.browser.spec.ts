import { expect, it, describe } from 'vitest';
import { DASHBOARD_PAGES } from '../../apps/server/src/http/dashboard-pages.js';
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

  it.each([
    ['light', 'desk'],
    ['dark', 'desk'],
    ['light', 'phone'],
    ['dark', 'phone'],
  ] as const)('stands in %s on a %s: nothing to scroll sideways, nothing serious for axe, no violation of the content policy', async (scheme, size) => {
    const tab = await dashboard.open({ token: TOKENS.operator, scheme, size });
    await tab.goto('/');
    await tab.expectAccessible();
    await tab.expectNoSidewaysScroll();
    tab.expectNoFaults();
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
    const tab = await dashboard.open({ token: TOKENS.operator, scheme: 'light' });
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

  it('shows what happens while it is looked at, and says so when it cannot', async () => {
    const tab = await dashboard.open({ token: TOKENS.reader });
    await tab.goto('/');
    await tab.page.getByText('Live', { exact: true }).waitFor();
    await dashboard.service.send({ fact: 'queued', id: 'live-1', data: { queue: 'appears-live' } });
    await tab.page.getByText('appears-live').first().waitFor();
    await dashboard.service.replica.kill();
    await tab.page.getByText('No live connection').waitFor();
    await tab.expectAccessible();
    await dashboard.service.replica.startAgain();
    await dashboard.service.send({ fact: 'queued', id: 'live-2', data: { queue: 'appears-again' } });
    await tab.page.getByText('appears-again').first().waitFor();
    await tab.page.getByText('Live', { exact: true }).waitFor();
  });

  it('has a page at every address that the service answers with it, and says so at any other', async () => {
    const tab = await dashboard.open({ token: TOKENS.operator });
    for (const pattern of DASHBOARD_PAGES) {
      await tab.goto(pattern.replace(':id', '1'));
      expect(await tab.page.getByRole('heading', { level: 1 }).innerText(), pattern).not.toBe('There is no such page');
    }
    tab.expectNoFaults();
  });
});
