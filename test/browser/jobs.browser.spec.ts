import { beforeAll, describe, expect, it } from 'vitest';
import { useDashboard } from './harness/dashboard.js';
import { TOKENS } from './harness/service.js';
import type { Tab } from './harness/tab.js';
import { QUEUE, STORY_POLICY, Stories, TRACE } from './job-stories.js';

const dashboard = useDashboard({ policy: `${STORY_POLICY}\ntraces: {url: "https://traces.example/trace/{traceId}?from=jobwarden"}` });
const HOSTILE = '<img src=x onerror=alert(1)>\u202egnp/..%2f"\'';
const job = (id: string, queue = QUEUE) => `/jobs/one?${new URLSearchParams({ queue, id }).toString()}`;

let stories: Stories;
beforeAll(async () => {
  stories = new Stories(dashboard.service);
  await Promise.all([
    stories.lostAndBack('twice'),
    stories.dead('dead'),
    stories.dead('dead-too'),
    stories.running('runs'),
    stories.running('to-cancel'),
    stories.silent('asked', 'emails'),
    dashboard.service.send(...Array.from({ length: 101 }, (_, i) => ({ fact: 'queued', id: `many-${String(i)}`, data: { queue: 'many', kind: i === 7 ? 'rare' : 'usual' } }))),
    dashboard.service.send({ fact: 'queued', id: HOSTILE, data: { queue: HOSTILE, kind: HOSTILE, payload: HOSTILE } }),
  ]);
}, 60_000);

const open = async (path: string, token: keyof typeof TOKENS = 'operator', options: Parameters<typeof dashboard.open>[0] = {}): Promise<Tab> => {
  const tab = await dashboard.open({ token: TOKENS[token], ...options });
  await tab.goto(path);
  return tab;
};

/** Opens an action, gives a reason, confirms, and waits until the dialog has gone. */
async function act(tab: Tab, label: string, reason: string): Promise<void> {
  await tab.page.getByRole('button', { name: label, exact: true }).click();
  const dialog = tab.page.getByRole('dialog');
  await dialog.getByLabel('Reason').fill(reason);
  await dialog.getByRole('button', { name: label, exact: true }).click();
  await dialog.waitFor({ state: 'detached' });
}

const auditOf = async (id: string, queue = QUEUE) => (await stories.job(id, queue))['decisions'] as readonly { readonly kind: string; readonly by: string; readonly reason: string }[];

describe('the list of jobs', () => {
  it('is searched by id over all queues, and by all filters at once, which live in the address', async () => {
    const tab = await open('/jobs');
    await tab.page.getByLabel('Job id').fill('twice');
    await tab.page.keyboard.press('Enter');
    await expect.poll(() => tab.page.getByRole('table').getByRole('link').allInnerTexts()).toEqual(['twice']);
    await tab.page.getByRole('button', { name: 'Clear all' }).click();
    await tab.page.getByLabel('Queue').fill('many');
    await tab.page.getByLabel('Kind').fill('rare');
    await tab.page.getByLabel('Status', { exact: true }).selectOption('queued');
    await tab.page.getByLabel('Status holds since').selectOption('1h');
    await tab.page.getByRole('link', { name: 'many-7', exact: true }).waitFor();
    await tab.expectInAddress({ queue: 'many', kind: 'rare', status: 'queued', since: expect.stringMatching(/^\d{4}-.*Z$/) as string });
    const address = new URL(tab.page.url());
    await tab.goto(address.pathname + address.search);
    await tab.page.getByRole('link', { name: 'many-7', exact: true }).waitFor();
    expect(await tab.page.getByLabel('Kind').inputValue()).toBe('rare');
    tab.expectNoFaults();
  });

  it('keeps both of two choices of which the second comes before the page shows the first', async () => {
    const tab = await open('/jobs?queue=many');
    await tab.page.getByLabel('Status', { exact: true }).waitFor();
    // As quick as a browser lets two events come, each with a turn of its own.
    await tab.page.evaluate(`(async () => {
      for (const [label, value] of [['Status', 'queued'], ['Status holds since', '1h']]) {
        const { control } = [...document.querySelectorAll('label')].find(({ textContent }) => textContent === label);
        control.value = value;
        control.dispatchEvent(new Event('change', { bubbles: true }));
        await new Promise((resolve) => setTimeout(resolve));
      }
    })()`);
    await tab.expectInAddress({ queue: 'many', status: 'queued', since: expect.stringMatching(/^\d{4}-.*Z$/) as string });
  });

  it('shows who a worker holds, and says what an empty answer means', async () => {
    const tab = await open('/jobs?worker=worker-c1');
    await tab.page.getByRole('link', { name: 'runs', exact: true }).waitFor();
    await tab.goto('/jobs?worker=nobody');
    await tab.page.getByText('No job like this').waitFor();
    const foreign = await open('/jobs?namespace=default', 'tenant');
    await foreign.page.getByText('namespace_unknown').waitFor();
  });

  it('is turned page by page, each at an address of its own, and back', async () => {
    const tab = await open('/jobs?queue=many');
    await tab.page.getByRole('link', { name: 'Next page' }).click();
    await tab.page.getByText('This is the end of the list.').waitFor();
    await tab.expectInAddress({ next: expect.any(String) as string });
    await tab.page.goBack();
    await tab.page.getByRole('link', { name: 'Next page' }).waitFor();
  });

  it('follows what happens', async () => {
    const tab = await open('/jobs?queue=follows');
    await tab.page.getByText('No job like this').waitFor();
    await dashboard.service.send({ fact: 'queued', id: 'new', data: { queue: 'follows' } });
    await tab.page.getByRole('link', { name: 'new' }).waitFor();
  });
});

describe('the page of a job', () => {
  it('tells in words how a job was lost, came back, and was done twice', async () => {
    const tab = await open(job('twice'));
    await tab.page.getByText('Attempt 2 has ended well.').waitFor();
    await tab.page.getByText('The work was done twice').waitFor();
    await tab.page.getByText('Who may have done the work: worker-a7, worker-b2').or(tab.page.getByText('Who may have done the work: worker-b2, worker-a7')).waitFor();
    await tab.page.getByText(/Its worker was still heard of for .* after a later attempt had begun/).waitFor();
    const bar = await tab.page.getByRole('img', { name: /^Attempt 1:/ }).getAttribute('aria-label');
    expect(bar).toMatch(/silent under its lease.*asked to stop.*runs beside a later attempt.*ended well/);
    await tab.page.getByRole('region', { name: 'Timeline' }).getByText('worker-b2 began attempt 2').first().waitFor();
    const story = await tab.page.getByRole('region', { name: 'Timeline' }).getByRole('listitem').allInnerTexts();
    expect(story.join(' ')).toMatch(
      /Put into its queue.*worker-a7 began attempt 1.*Attempt 1 was taken for lost: silent for longer than 700 ms.*attempt 2 was given, because the one before was lost.*worker-b2 began attempt 2/s,
    );
    await tab.page.getByText('order:twice, dashboard').first().waitFor();
    const trace = tab.page.getByTitle(TRACE).first();
    expect(await trace.getAttribute('href')).toBe(`https://traces.example/trace/${TRACE}?from=jobwarden`);
    expect(await trace.getAttribute('rel')).toContain('noreferrer');
    await tab.expectAccessible();
    tab.expectNoFaults();
  });

  it('opens an entry of the log, and the payload with what redaction has replaced', async () => {
    const tab = await open(job('twice'), 'reader');
    const entry = tab.page.getByRole('button', { name: 'worker-a7 began attempt 1' });
    await entry.click();
    await tab.page.getByText('browser-test').waitFor();
    await tab.page.getByRole('button', { name: /^Show the payload/ }).click();
    const body = tab.page.getByRole('region', { name: 'Show the payload' });
    expect(await body.innerText()).toContain('"holder": "Ada Lovelace"');
    expect(await body.locator('mark').innerText()).toBe('[redacted]');
    await tab.expectAccessible();
  });

  it('says why a job is dead, first cause first, with its stack folded', async () => {
    const tab = await open(job('dead'));
    const why = tab.page.getByRole('region', { name: 'Why it failed' });
    expect(await why.innerText()).toMatch(/First cause \(attempt 1\).*ConnectionError: connect ECONNREFUSED.*code ECONNREFUSED.*Attempt 2 failed.*TypeError.*all 2 retries are used up/s);
    await why.getByRole('button', { name: /^Show the stack/ }).first().click();
    await why.getByText('at Pool.connect (src/ledger/pool.ts:41:11)').waitFor();
    await why.getByRole('link', { name: 'On the dead-letter page' }).waitFor();
  });

  it('follows the job while it is looked at', async () => {
    await stories.running('live');
    const tab = await open(job('live'));
    await tab.page.getByText('Attempt 1 runs on worker-c1.').waitFor();
    await tab.page.getByText(/Its worker has to be heard of by/).waitFor();
    await dashboard.service.send({ fact: 'succeeded', id: 'live', data: { queue: QUEUE, attempt: 1, worker: { id: 'worker-c1' } } });
    await tab.page.getByText('Attempt 1 has ended well.').waitFor();
  });

  it('lets somebody approve what Jobwarden would do of a silent worker', async () => {
    const tab = await open(job('asked', 'emails'));
    await tab.page.getByText(/Attempt 1 has fallen silent/).waitFor();
    await act(tab, 'Approve', 'its host is gone');
    await stories.until('asked', 'requeued', 'emails');
    expect((await auditOf('asked', 'emails'))[0]).toMatchObject({ kind: 'restart-requested', evidence: { approval: { by: 'operator', reason: 'its host is gone' } } });
    await tab.page.getByText('It was put back: attempt 2 waits for a worker.').waitFor();
    for (const fact of ['started', 'succeeded']) await dashboard.service.send({ fact, id: 'asked', data: { queue: 'emails', attempt: 2, worker: { id: 'worker-b2' } } });
    await tab.page.getByRole('region', { name: 'What went wrong before' }).getByText(/^Attempt 1 /).waitFor();
  });

  it('asks once for each action, does it, and shows the line of the log that it leaves', async () => {
    const tab = await open(job('to-cancel'));
    await act(tab, 'Restart', 'it hangs');
    await tab.page.getByText('“it hangs”').first().waitFor();
    await tab.page.getByRole('button', { name: 'Change limits' }).click();
    const dialog = tab.page.getByRole('dialog');
    await dialog.getByLabel('Retries after the first attempt').fill('7');
    await dialog.getByLabel('Reason').fill('give it time');
    await dialog.getByRole('button', { name: 'Change limits' }).click();
    await dialog.waitFor({ state: 'detached' });
    await tab.page.getByText('of 8').waitFor();
    await act(tab, 'Cancel', 'not wanted');
    await tab.page.getByText('It was cancelled.').waitFor();
    await act(tab, 'Redrive', 'wanted after all');
    await tab.page.getByText(/waits for a worker/).first().waitFor();
    await act(tab, 'Discard', 'no');
    await tab.page.getByText('Somebody has given it up.').waitFor();
    expect(await auditOf('to-cancel')).toMatchObject(
      expect.arrayContaining(
        ['restart-requested it hangs', 'limits-changed give it time', 'cancelled not wanted', 'redriven wanted after all', 'discarded no'].map((line) => {
          const [kind = '', ...reason] = line.split(' ');
          return expect.objectContaining({ kind, by: 'operator', reason: reason.join(' ') }) as object;
        }),
      ),
    );
    tab.expectNoFaults();
  });

  it('erases what was told of a job, says what is out of reach, and by whom it was', async () => {
    const tab = await open(job('dead-too'));
    await erase(tab);
    await tab.page.getByText(/Its bodies were erased at .* by operator: asked for by the customer/).waitFor();
    expect((await stories.job('dead-too'))['erased']).toMatchObject({ by: 'operator', reason: 'asked for by the customer' });
    expect(await tab.page.getByRole('button', { name: 'Redrive' }).count()).toBe(0);
    await act(tab, 'Resolve', 'done by hand');
    await tab.page.getByText('Somebody has declared it done.').waitFor();
  });

  it('keeps the buttons without the scope, and says what is missing', async () => {
    const tab = await open(job('runs'), 'reader');
    const button = tab.page.getByRole('button', { name: 'Cancel', exact: true });
    expect(await button.getAttribute('aria-disabled')).toBe('true');
    await button.focus();
    await tab.page.getByText('Needs the scope “operate”').first().waitFor();
    await tab.page.keyboard.press('Enter');
    expect(await tab.page.getByRole('dialog').count()).toBe(0);
  });

  it('says what to do where there is no such job, where none is named, and what the service said otherwise', async () => {
    const tab = await open(job('nowhere'));
    await tab.page.getByText('No such job').waitFor();
    await tab.goto('/jobs/one');
    await tab.page.getByText('Which job?').waitFor();
    const foreign = await open(`${job('runs')}&namespace=default`, 'tenant');
    await foreign.page.getByText('namespace_unknown').waitFor();
  });

  it.each([
    ['light', 'desk'],
    ['dark', 'phone'],
  ] as const)('shows hostile names as text in %s on a %s, with nothing serious for axe', async (scheme, size) => {
    const tab = await open(job(HOSTILE, HOSTILE), 'operator', { scheme, size });
    await tab.page.getByRole('heading', { level: 1, name: /\\u\{202e\}gnp/ }).waitFor();
    await tab.page.getByRole('button', { name: /^Show the payload/ }).click();
    await tab.page.getByRole('region', { name: 'Show the payload' }).waitFor();
    await tab.expectAccessible();
    await tab.expectNoSidewaysScroll();
    await tab.goto(`/jobs?${new URLSearchParams({ id: HOSTILE }).toString()}`);
    await tab.page.getByRole('link', { name: /\\u\{202e\}gnp/ }).waitFor();
    expect(await tab.page.locator('img[src="x"]').count()).toBe(0);
    await tab.expectAccessible();
    await tab.expectNoSidewaysScroll();
    await tab.goto(job('dead'));
    await tab.page.getByRole('region', { name: 'Why it failed' }).waitFor();
    await tab.expectAccessible();
    await tab.expectNoSidewaysScroll();
    tab.expectNoFaults();
  });
});

/** Erasing tells what came of it before it closes. */
async function erase(tab: Tab): Promise<void> {
  await tab.page.getByRole('button', { name: 'Erase payload' }).click();
  const dialog = tab.page.getByRole('dialog');
  await dialog.getByLabel('Reason').fill('asked for by the customer');
  await dialog.getByRole('button', { name: 'Erase payload' }).click();
  await dialog.getByText(/^Erased: [1-9]/).waitFor();
  await dialog.getByText('What cannot be taken back:').waitFor();
  await dialog.getByRole('button', { name: 'Done' }).click();
  await dialog.waitFor({ state: 'detached' });
}
