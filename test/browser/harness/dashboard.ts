import type { Browser } from 'playwright-core';
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
  const tabs: Tab[] = [];
  beforeAll(async () => {
    [service, browser] = await Promise.all([DashboardService.start(options), launchBrowser()]);
  });
  afterEach(async () => {
    for (const tab of tabs.splice(0)) await tab.close();
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
    async open(tabOptions) {
      const tab = await Tab.open(made(browser), tabOptions?.through ?? made(service).url, tabOptions);
      tabs.push(tab);
      return tab;
    },
  };
}

function made<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('It is made in beforeAll: use it inside of a test or hook.');
  return value;
}
