// Every page in every state that it can be in besides well: whoever adds a page need not add a test for these.
import type { Route } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { DASHBOARD_PAGES } from '../../apps/server/src/http/dashboard-pages.js';
import { CuttableProxy } from './harness/cuttable-proxy.js';
import { useDashboard } from './harness/dashboard.js';
import { TOKENS } from './harness/service.js';
import type { Tab } from './harness/tab.js';
import { addressOf, makeThings, NOTHING, PATTERNS, ROUTES, type Things } from './route-states.js';

const dashboard = useDashboard({ policy: 'defaults: {idempotent: true, actions: act, fallback: false}' });
const READS = /\/v1\/(?!me$|streams\/)/;

/** Visits every page without loading the dashboard anew. */
async function eachPage(tab: Tab, things: Things, look: (route: string) => Promise<void>): Promise<void> {
  for (const [i, route] of ROUTES.entries()) {
    await (i === 0 ? tab.goto(addressOf(route, things)) : tab.go(addressOf(route, things)));
    await look(route);
  }
}

const main = (tab: Tab) => tab.page.getByRole('main');
const settled = (tab: Tab) => main(tab).getByText('Loading …').first().waitFor({ state: 'detached' });

describe('every page', () => {
  it('has an address that the service answers with it', () => {
    expect([...PATTERNS.values()]).toEqual([...DASHBOARD_PAGES]);
  });

  it('says what would be there where there is nothing yet', async () => {
    const tab = await dashboard.open({ token: TOKENS.operator });
    await eachPage(tab, NOTHING, async (route) => {
      await settled(tab);
      expect((await main(tab).innerText()).length, route).toBeGreaterThan(60);
      await tab.expectAccessibleInBothThemes();
    });
    await tab.go('/nowhere');
    await tab.page.getByRole('heading', { level: 1, name: 'There is no such page' }).waitFor();
    tab.expectNoFaults();
  });

  it('says who may look where the token may not', async () => {
    const tab = await dashboard.open({ token: TOKENS.emitter });
    for (const route of ROUTES) {
      await tab.goto(addressOf(route, NOTHING));
      await tab.page.getByText('This needs a token with the scope “read”. Yours has it not.').waitFor();
    }
    await tab.expectAccessibleInBothThemes();
    await tab.page.getByRole('button', { name: 'Use another token' }).click();
    await tab.page.getByLabel('Token').fill(TOKENS.reader);
    await tab.page.keyboard.press('Enter');
    await tab.page.getByRole('button', { name: 'Read only' }).waitFor();
    tab.expectNoFaults();
  });

  describe('with something to show', () => {
    let things: Things;
    beforeAll(async () => {
      things = await makeThings(dashboard.service);
    });

    it('says that it reads while the answer is on its way', async () => {
      const tab = await dashboard.open({ token: TOKENS.operator });
      const held: Route[] = [];
      await tab.page.route(READS, (route) => {
        held.push(route);
      });
      await eachPage(tab, things, async (route) => {
          await main(tab).getByRole('status').filter({ hasText: 'Loading …' }).first().waitFor();
        expect(held.length, route).toBeGreaterThan(0);
        await tab.expectAccessibleInBothThemes();
      });
      await tab.page.unroute(READS);
      await Promise.all(held.map((route) => route.continue().catch(() => undefined)));
      await settled(tab);
      tab.expectNoFaults();
    });

    it('says what failed in the words of the service, with its code, and reads again when it is asked to', async () => {
      const tab = await dashboard.open({ token: TOKENS.operator, fresh: true });
      await tab.page.clock.install();
      const body = JSON.stringify({ title: 'Not now', detail: 'The database has no room.', code: 'database_full', status: 500 });
      await tab.page.route(READS, (route) => route.fulfill({ status: 500, contentType: 'application/problem+json', body }));
      await eachPage(tab, things, async (route) => {
        const alert = main(tab).getByRole('alert').first();
        // Passing faults are asked again twice, and waited for in between.
        while ((await alert.count()) === 0) await tab.page.clock.runFor(1_000);
        expect(await alert.innerText(), route).toMatch(/Not now.*The database has no room\..*database_full/s);
        await tab.expectAccessibleInBothThemes();
      });
      await tab.page.unroute(READS);
      for (const again of await main(tab).getByRole('button', { name: 'Try again' }).all()) await again.click().catch(() => undefined);
      await main(tab).getByRole('alert').first().waitFor({ state: 'detached' });
      tab.expectNoFaults();
    });

    it('keeps what it shows, says that it may be old, and why nothing can be done', async () => {
      const proxy = await CuttableProxy.start(dashboard.service.url);
      const tab = await dashboard.open({ token: TOKENS.operator, through: proxy.url });
      const before = new Map<string, string>();
      await eachPage(tab, things, async (route) => {
        await settled(tab);
        before.set(route, await tab.page.getByRole('heading', { level: 2 }).allInnerTexts().then(String));
      });
      await proxy.cut();
      const banner = main(tab).getByText('What you see may be old, and nothing can be done until it is back.');
      await banner.waitFor();
      for (const route of ROUTES) {
        await tab.go(addressOf(route, things));
        await banner.waitFor();
        expect(String(await tab.page.getByRole('heading', { level: 2 }).allInnerTexts()), route).toBe(before.get(route));
        expect(await main(tab).getByRole('alert').count(), route).toBe(0);
        for (const action of await main(tab).locator('button[aria-description]').all()) {
          expect(await action.getAttribute('aria-description')).toMatch(/^(Nothing can be done while the service does not answer|Needs the scope)/);
        }
        expect(await main(tab).locator('button[aria-haspopup="dialog"]').count(), route).toBe(0);
        await tab.expectAccessibleInBothThemes();
      }
      tab.expectNoFaults();
    });
  });
});
