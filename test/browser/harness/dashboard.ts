import type { Browser, BrowserContext } from 'playwright-core';
import { afterAll, afterEach, beforeAll } from 'vitest';
import { launchBrowser } from './browser.js';
import { DashboardService, type ServiceOptions } from './service.js';
import { Tab, type TabOptions } from './tab.js';

export interface Dashboard {
  readonly service: DashboardService;
  readonly browser: Browser;
  /** A tab of its own, closed after the test. */
  open(options?: TabOptions): Promise<Tab>;
}

/** For a spec file: one service and one browser, shared by its tests. */
export function useDashboard(options: ServiceOptions = {}): Dashboard {
  let service: DashboardService | undefined;
  let browser: Browser | undefined;
  const closing: (() => Promise<void>)[] = [];
  const profiles = new Map<string, Promise<BrowserContext>>();
  beforeAll(async () => {
    [service, browser] = await Promise.all([DashboardService.start(options), launchBrowser()]);
  });
  afterEach(async () => {
    await Promise.all(closing.splice(0).map((close) => close()));
  });
  afterAll(async () => {
    await browser?.close();
    await service?.stop();
  });
  return {
    get service() {
      return made(service);
    },
    get browser() {
      return made(browser);
    },
    async open({ fresh = false, ...tabOptions } = {}) {
      const url = tabOptions.through ?? made(service).url;
      if (fresh) {
        const tab = await Tab.open(made(browser), url, tabOptions);
        closing.push(() => tab.close());
        return tab;
      }
      const kind = JSON.stringify(tabOptions);
      const profile = profiles.get(kind) ?? Tab.profile(made(browser), url, tabOptions);
      profiles.set(kind, profile);
      const tab = await Tab.within(await profile, url);
      closing.push(() => tab.closeAlone());
      return tab;
    },
  };
}

function made<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('It is made in beforeAll: use it inside of a test or hook.');
  return value;
}
