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
  /** A tab that the tests of the file share, already on a page: use {@link Tab.go}. Loading all of it anew takes longest of a test. */
  shared(options?: TabOptions): Promise<Tab>;
}

/** For a spec file: one service and one browser, shared by its tests. */
export function useDashboard(options: ServiceOptions = {}): Dashboard {
  let service: DashboardService | undefined;
  let browser: Browser | undefined;
  const closing: (() => Promise<void>)[] = [];
  const profiles = new Map<string, Promise<BrowserContext>>();
  const sharedTabs = new Map<string, Promise<Tab>>();
  const within = async (tabOptions: TabOptions): Promise<Tab> => {
    const url = tabOptions.through ?? made(service).url;
    const kind = JSON.stringify(tabOptions);
    const profile = profiles.get(kind) ?? Tab.profile(made(browser), url, tabOptions);
    profiles.set(kind, profile);
    return await Tab.within(await profile, url);
  };
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
      if (fresh) {
        const tab = await Tab.open(made(browser), tabOptions.through ?? made(service).url, tabOptions);
        closing.push(() => tab.close());
        return tab;
      }
      const tab = await within(tabOptions);
      closing.push(() => tab.closeAlone());
      return tab;
    },
    async shared(tabOptions = {}) {
      const kind = JSON.stringify(tabOptions);
      const opened = sharedTabs.get(kind) ?? within(tabOptions).then(async (tab) => {
        await tab.goto('/');
        return tab;
      });
      sharedTabs.set(kind, opened);
      const tab = await opened;
      tab.forgetFaults();
      return tab;
    },
  };
}

function made<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('It is made in beforeAll: use it inside of a test or hook.');
  return value;
}
