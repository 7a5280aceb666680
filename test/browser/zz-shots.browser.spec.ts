import { it } from 'vitest';
import { useDashboard } from './harness/dashboard.js';
import { TOKENS } from './harness/service.js';
import { STORY_POLICY, Stories } from './job-stories.js';
const dashboard = useDashboard({ policy: STORY_POLICY });
it('shots', async () => {
  const s = new Stories(dashboard.service);
  await Promise.all([s.lostAndBack('capture-7781'), s.dead('capture-7790'), s.running('capture-7802'), s.silent('mail-12', 'emails'), s.silent('report-3', 'reports')]);
  await dashboard.service.call('POST', '/v1/jobs/one/redrive?queue=payments&id=capture-7790', { reason: 'the ledger is back' });
  await dashboard.service.send(...Array.from({ length: 130 }, (_, i) => ({ fact: 'queued', id: `capture-${String(8000 + i)}`, data: { queue: 'payments', kind: 'capture' } })));
  await dashboard.service.send({ fact: 'queued', id: '<img src=x onerror=alert(1)>\u202egnp/..%2f"\'', data: { queue: '<b>q</b>' } });
  const pages: [string, string][] = [
    ['jobs', '/jobs'], ['jobs-filtered', '/jobs?queue=payments&status=succeeded'],
    ['lost', '/jobs/one?queue=payments&id=capture-7781'], ['dead', '/jobs/one?queue=payments&id=capture-7790'],
    ['running', '/jobs/one?queue=payments&id=capture-7802'], ['mail', '/jobs/one?queue=emails&id=mail-12'], ['report', '/jobs/one?queue=reports&id=report-3'],
    ['none', '/jobs/one?queue=payments&id=nope'],
  ];
  const which = process.env['SHOTS']?.split(',');
  for (const scheme of ['light', 'dark'] as const) for (const size of ['desk', 'phone'] as const) {
    const tab = await dashboard.open({ token: TOKENS.operator, scheme, size });
    for (const [name, path] of pages) {
      if (which !== undefined && !which.includes(name)) continue;
      if (!(process.env['LOOKS'] ?? 'light-desk,dark-phone').split(',').includes(`${scheme}-${size}`)) continue;
      await tab.goto(path);
      await new Promise((r) => setTimeout(r, 400));
      for (const button of await tab.page.getByRole('button', { name: /^Show the (payload|stack)/ }).all()) await button.click().catch(() => undefined);
      await new Promise((r) => setTimeout(r, 300));
      await tab.page.screenshot({ path: `/tmp/shots/${name}-${scheme}-${size}.png`, fullPage: true });
    }
    try { tab.expectNoFaults(); } catch (e) { console.log(String(e).slice(0, 800)); }
  }
}, 120_000);
