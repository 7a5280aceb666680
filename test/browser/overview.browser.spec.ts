import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { useDashboard } from './harness/dashboard.js';
import { AuthenticatingProxy } from './harness/proxy.js';
import { TOKENS, type TestEvent } from './harness/service.js';

const dashboard = useDashboard({ policy: 'defaults: {idempotent: true}\nqueues: {acting: {actions: act}, asking: {actions: approve}}' });
const worker = { attempt: 1, worker: { id: 'w1' } };
const failing: TestEvent[] = Array.from({ length: 24 }, (_, i) => String(i)).flatMap((id) => [
  { fact: 'queued', id, data: { queue: 'failing' } },
  { fact: 'started', id, data: { queue: 'failing', ...worker } },
  { fact: 'failed', id, data: { queue: 'failing', ...worker, error: { class: 'Broken', message: 'no' } } },
]);

/** An hour of samples, which would take an hour to come about. */
const samplesOf = (queue: string) => `
INSERT INTO jobwarden.queue_samples (minute, queue_id, waiting, running, succeeded, failed, median_ms)
SELECT m.minute, q.queue_id, 50 - (now.minute - m.minute), 1, 9, 1, 1500
FROM (SELECT (jobwarden.lane_now() / 60000)::integer AS minute) AS now, generate_series(now.minute - 49, now.minute) AS m (minute),
     (SELECT queue_id FROM jobwarden.queues WHERE queue = '${queue}' UNION ALL SELECT 0) AS q
ON CONFLICT (minute, queue_id) DO UPDATE SET waiting = excluded.waiting, succeeded = excluded.succeeded, failed = excluded.failed, median_ms = excluded.median_ms`;

async function queryOf(url: string, text: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(text);
  await client.end();
}

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
    await first.getByText('100 %', { exact: true }).waitFor();
    expect(await first.innerText()).toContain('failing');
    expect(await table.getAttribute('aria-rowcount')).toBe('305');
    expect(await table.getByRole('row').count()).toBeLessThan(60);
  });

  it('draws the hour of each queue, the run times against what is usual', async () => {
    await queryOf(dashboard.service.database.url, samplesOf('failing'));
    const tab = await dashboard.open({ token: TOKENS.reader });
    // So many run times as make a baseline take longer than a test may.
    await tab.page.route('**/v1/overview*', async (route) => {
      const answer = await route.fetch();
      const body = (await answer.json()) as { readonly queues: readonly { readonly queue: string }[] };
      const queues = body.queues.map((queue) => (queue.queue === 'failing' ? { ...queue, usualMedianMs: 400 } : queue));
      await route.fulfill({ response: answer, json: { ...body, queues } });
    });
    await tab.goto('/?filter=failing');
    const row = tab.page.getByRole('table', { name: 'Queues' }).getByRole('row').nth(1);
    await row.getByRole('img', { name: /^Waiting in the last hour: from 1 to 50, at most 50/ }).waitFor();
    await row.getByRole('img', { name: 'Failed in the last hour: at most 10 % of a minute' }).waitFor();
    await row.getByRole('img', { name: 'Run time in the last hour: 1.5 s at the end, at most 1.5 s; the dashed line is the usual 400 ms' }).waitFor();
    await row.getByText('3.8 × usual').waitFor();
    tab.expectNoFaults();
  });

  it('fits every screen, the table too', async () => {
    const tab = await dashboard.open({ token: TOKENS.reader });
    await tab.goto('/');
    for (const width of [375, 768, 1_024, 1_280, 1_920]) {
      await tab.page.setViewportSize({ width, height: 900 });
      const table = tab.page.getByRole('region', { name: 'Queues' }).last();
      await table.getByRole('row').nth(5).waitFor();
      await tab.expectNoSidewaysScroll();
      const beyond = await tab.page.evaluate<number>(`(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)(document.querySelector('[role="table"]').parentElement)`);
      expect(beyond, String(width)).toBe(0);
    }
  });

  it('filters and sorts, in the address, so that a link shows the same', async () => {
    const tab = await dashboard.open({ token: TOKENS.reader });
    await tab.goto('/');
    await tab.page.getByLabel('Filter by name').fill('queue-29');
    await tab.page.getByText('10 of 304').waitFor();
    for (const sort of ['queue', '-queue']) {
      await tab.page.getByRole('button', { name: 'Queue', exact: true }).click();
      await tab.expectInAddress({ sort });
    }
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
    await tab.goto('/');
    for (const [queue, level] of [['acting', 'acting'], ['asking', 'approving'], ['queue-001', 'observing']] as const) {
      await tab.page.getByLabel('Filter by name').fill(queue);
      await tab.page.getByText('1 of 304').waitFor();
      expect(await tab.page.getByRole('table').getByRole('row').nth(1).getByRole('cell').last().innerText()).toBe(level);
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

  it('says what the canary gate of a rollout answered last', async () => {
    const w = (track: string) => ({ queue: 'rolled-out', attempt: 1, worker: { id: track, revision: track === 'canary' ? '2.1' : '2.0', track } });
    for (const fact of ['queued', 'started', 'succeeded']) await dashboard.service.send(...['canary', 'stable'].map((id) => ({ fact, id, data: fact === 'queued' ? { queue: 'rolled-out' } : w(id) })));
    await dashboard.service.call('GET', '/v1/gates/canary?queue=rolled-out&form=argo');
    const tab = await dashboard.open({ token: TOKENS.reader });
    await tab.goto('/');
    const gates = tab.page.getByRole('region', { name: 'Canary gates' });
    await gates.getByText('not told yet').waitFor();
    expect(await gates.getByRole('listitem').innerText()).toMatch(/default\/rolled-out.*2\.1 · about \d+ attempts more/s);
  });

  it('stops all actions and lets them go on, says since when, and keeps who and why', async () => {
    const reader = await dashboard.open({ token: TOKENS.operator });
    await reader.goto('/');
    expect(await reader.page.getByRole('button', { name: 'Stop all actions' }).getAttribute('aria-description')).toContain('“admin”');
    const tab = await dashboard.open({ token: TOKENS.admin });
    await tab.goto('/');
    const main = tab.page.getByRole('main');
    const dialog = tab.page.getByRole('dialog');
    const does = async (label: string, says: string, reason: string) => {
      await main.getByRole('button', { name: label }).click();
      await dialog.getByText(says, { exact: false }).waitFor();
      await dialog.getByLabel('Reason').fill(reason);
      await dialog.getByRole('button', { name: label }).click();
      await dialog.waitFor({ state: 'detached' });
    };
    await does('Stop all actions', 'nothing is decided but by hand', 'the database is moved');
    await main.getByText('All actions are stopped').waitFor();
    await main.getByText(/^Stopped by admin (?:now|\d+ sec\. ago): the database is moved$/u).waitFor();
    expect(await dashboard.service.call('GET', '/v1/actions')).toMatchObject({ enabled: false, by: 'admin', reason: 'the database is moved', since: expect.any(String) as string });
    await tab.expectAccessible();
    await reader.page.getByText('All actions are stopped').waitFor();
    expect(await reader.page.getByRole('button', { name: 'Let actions go on' }).getAttribute('aria-disabled')).toBe('true');
    await does('Let actions go on', 'what was held back goes out', 'it is moved');
    await main.getByText(/^Let go on by admin (?:now|\d+ sec\. ago): it is moved$/u).waitFor();
    expect(await dashboard.service.call('GET', '/v1/actions')).toMatchObject({ enabled: true, by: 'admin', reason: 'it is moved' });
    tab.expectNoFaults();
  });

  describe('behind a proxy that signs people in', () => {
    let proxy: AuthenticatingProxy;
    beforeAll(async () => {
      proxy = await AuthenticatingProxy.start(dashboard.service.url, TOKENS.reader);
    });
    afterAll(() => proxy.stop());

    it('asks nobody for a token, and is live', async () => {
      const tab = await dashboard.open({ through: proxy.url });
      await tab.goto('/?filter=through');
      await tab.page.getByText('Live', { exact: true }).waitFor();
      await dashboard.service.send({ fact: 'queued', id: '1', data: { queue: 'through-the-proxy' } });
      await tab.page.getByRole('link', { name: 'through-the-proxy' }).waitFor();
      await tab.page.getByRole('button', { name: 'Read only' }).waitFor();
      tab.expectNoFaults();
    });
  });
});
