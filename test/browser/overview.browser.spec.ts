import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { useDashboard } from './harness/dashboard.js';
import { AuthenticatingProxy } from './harness/proxy.js';
import { TOKENS, type TestEvent } from './harness/service.js';
import { Tab } from './harness/tab.js';

const dashboard = useDashboard({ policy: 'defaults: {idempotent: true}\nqueues: {acting: {actions: act}, asking: {actions: approve}}' });
const worker = { attempt: 1, worker: { id: 'w1' } };
const failing: TestEvent[] = Array.from({ length: 24 }, (_, i) => String(i)).flatMap((id) => [
  { fact: 'queued', id, data: { queue: 'failing' } },
  { fact: 'started', id, data: { queue: 'failing', ...worker } },
  { fact: 'failed', id, data: { queue: 'failing', ...worker, error: { class: 'Broken', message: 'no' } } },
]);

describe('the overview', () => {
  beforeAll(async () => {
    const many = Array.from({ length: 300 }, (_, i): TestEvent => ({ fact: 'queued', id: 'one', data: { queue: `queue-${String(i).padStart(3, '0')}` } }));
    await dashboard.service.send(...many, ...failing);
    await dashboard.service.send(
      { fact: 'queued', id: '1', data: { queue: 'acting' } },
      { fact: 'queued', id: '1', data: { queue: 'asking' } },
      { fact: 'queued', id: '1', namespace: 'tenant', data: { queue: 'theirs' } },
    );
  });

  it.each([
    ['light', 'desk'],
    ['dark', 'phone'],
  ] as const)('stands in %s on a %s', async (scheme, size) => {
    const tab = await dashboard.open({ token: TOKENS.operator, scheme, size });
    await tab.goto('/');
    await tab.page.getByRole('link', { name: 'failing' }).first().waitFor();
    await tab.expectAccessible();
    await tab.expectNoSidewaysScroll();
    tab.expectNoFaults();
  });

  it('shows first what should be looked at, draws only what can be seen, and tells how many there are', async () => {
    const tab = await dashboard.open({ token: TOKENS.reader });
    await tab.goto('/');
    const table = tab.page.getByRole('table', { name: 'Queues' });
    const first = table.getByRole('row').nth(1);
    await first.getByText('100 %').waitFor();
    expect(await first.innerText()).toContain('failing');
    expect(await table.getAttribute('aria-rowcount')).toBe('305');
    expect(await table.getByRole('row').count()).toBeLessThan(60);
  });

  it('filters and sorts, in the address, so that a link shows the same', async () => {
    const tab = await dashboard.open({ token: TOKENS.reader });
    await tab.goto('/');
    await tab.page.getByLabel('Filter by name').fill('queue-29');
    await tab.page.getByText('10 of 304').waitFor();
    await tab.page.getByRole('button', { name: 'Queue', exact: true }).click();
    await tab.page.getByRole('button', { name: 'Queue', exact: true }).click();
    const { pathname, search } = new URL(tab.page.url());
    await tab.goto(`${pathname}${search}`);
    const rows = tab.page.getByRole('table', { name: 'Queues' }).getByRole('row');
    await tab.page.getByText('10 of 304').waitFor();
    expect(await rows.nth(1).innerText()).toContain('queue-299');
    await tab.page.getByLabel('Filter by name').fill('no such queue');
    await tab.page.getByText('No queue matches').waitFor();
  });

  it('says what Jobwarden may do in each queue', async () => {
    const tab = await dashboard.open({ token: TOKENS.reader });
    for (const [queue, level] of [['acting', 'acting'], ['asking', 'approving'], ['queue-001', 'observing']] as const) {
      await tab.goto(`/?filter=${queue}`);
      await tab.page.getByRole('table').getByText(level, { exact: true }).last().waitFor();
    }
  });

  it('shows a token of some namespaces those alone', async () => {
    const tab = await dashboard.open({ token: TOKENS.tenant });
    await tab.goto('/');
    await tab.page.getByRole('link', { name: 'theirs' }).waitFor();
    await tab.page.getByText('1 of 1').waitFor();
    expect(await tab.page.getByRole('link', { name: 'failing' }).count()).toBe(0);
  });

  it('is reached row by row with the keyboard', async () => {
    const tab = await dashboard.open({ token: TOKENS.reader });
    await tab.goto('/?namespace=default&filter=failing');
    await tab.page.getByRole('table').getByRole('link', { name: 'failing' }).waitFor();
    const names = await tab.tabWalk({ until: /^failing$/ });
    expect(names).toEqual(expect.arrayContaining(['Filter by name', 'failing']));
    await tab.page.keyboard.press('Enter');
    await tab.page.waitForURL(/\/jobs\?namespace=default&queue=failing/);
  });

  describe('behind a proxy that signs people in', () => {
    let proxy: AuthenticatingProxy;
    beforeAll(async () => {
      proxy = await AuthenticatingProxy.start(dashboard.service.url, TOKENS.reader);
    });
    afterAll(() => proxy.stop());

    it('asks nobody for a token, and is live', async () => {
      const tab = await Tab.open(dashboard.browser, proxy.url);
      try {
        await tab.goto('/?filter=through');
        await tab.page.getByText('Live', { exact: true }).waitFor();
        await dashboard.service.send({ fact: 'queued', id: '1', data: { queue: 'through-the-proxy' } });
        await tab.page.getByRole('link', { name: 'through-the-proxy' }).waitFor();
        await tab.page.getByRole('button', { name: 'Read only' }).waitFor();
        tab.expectNoFaults();
      } finally {
        await tab.close();
      }
    });
  });
});
