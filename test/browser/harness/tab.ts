import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { expect } from 'vitest';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** What has the focus, or what is drawn for it, has an outline or a border of its own, and stands on the screen. */
const FOCUS_SHOWN = `(() => {
  const at = document.activeElement;
  const { top, left, width, height } = at.getBoundingClientRect();
  const style = getComputedStyle(at);
  const drawn = at.matches(':focus-visible') && ((style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) >= 1) || style.boxShadow !== 'none' || at.matches('input, textarea, select'));
  return drawn && width > 0 && height > 0 && top < innerHeight && left < innerWidth && top + height > 0 && left + width > 0;
})()`;

export interface TabOptions {
  /** Signed in with it. Left out: nobody is. */
  readonly token?: string;
  /** Default light. */
  readonly scheme?: 'light' | 'dark';
  /** Default 1280 × 800; `phone` is 375 × 700. */
  readonly size?: 'desk' | 'phone';
  readonly extraHeaders?: Readonly<Record<string, string>>;
  /** Address of a proxy before the service. Left out: the service's own. */
  readonly through?: string;
  /** For what outlives a tab in the browser, such as its clock, or a choice that is kept. Default false: files that it has read before come from memory. */
  readonly fresh?: boolean;
}

const SIZES = { desk: { width: 1_280, height: 800 }, phone: { width: 375, height: 700 } } as const;

/** A tab that remembers what went wrong in it. */
export class Tab {
  private readonly faults: string[] = [];

  private constructor(
    readonly page: Page,
    private readonly context: BrowserContext,
    private readonly origin: string,
  ) {
    page.on('console', (message) => {
      // What the network answered is not the page's fault; a test that wants to know asks for it. Violations of the content policy come as errors too.
      if (['error', 'warning'].includes(message.type()) && !message.text().startsWith('Failed to load resource')) this.faults.push(message.text());
    });
    page.on('pageerror', (error) => this.faults.push(String(error)));
    page.on('dialog', (dialog) => {
      this.faults.push(`a dialog: ${dialog.message()}`);
      void dialog.dismiss();
    });
  }

  static async open(browser: Browser, origin: string, options: TabOptions = {}): Promise<Tab> {
    return await Tab.within(await Tab.profile(browser, origin, options), origin);
  }

  /** What tabs of the same kind can share. */
  static async profile(browser: Browser, origin: string, { token, scheme = 'light', size = 'desk', extraHeaders }: TabOptions): Promise<BrowserContext> {
    const context = await browser.newContext({
      viewport: SIZES[size],
      colorScheme: scheme,
      reducedMotion: 'reduce',
      ...(extraHeaders !== undefined && { extraHTTPHeaders: { ...extraHeaders } }),
    });
    if (token !== undefined) await context.addInitScript(`if (location.origin === ${JSON.stringify(origin)}) sessionStorage.setItem('jobwarden.token', ${JSON.stringify(token)})`);
    return context;
  }

  static async within(context: BrowserContext, origin: string): Promise<Tab> {
    return new Tab(await context.newPage(), context, origin);
  }

  /** Opens an address of the dashboard and waits until the page has its heading. */
  async goto(path: string): Promise<void> {
    await this.page.goto(`${this.origin}${path}`, { waitUntil: 'domcontentloaded' });
    await this.page.getByRole('heading', { level: 1 }).waitFor();
  }

  /** To another address of the dashboard as by a link, without loading all of it anew: quicker by far. Waits for its heading. */
  async go(path: string, shows?: string | RegExp): Promise<void> {
    await this.page.evaluate(`
      document.querySelector('h1')?.setAttribute('data-left', '');
      history.pushState(null, '', ${JSON.stringify(path)});
      dispatchEvent(new PopStateEvent('popstate'));`);
    await (shows === undefined ? this.page.locator('h1:not([data-left])') : this.page.getByRole('heading', { level: 1, name: shows })).waitFor();
  }

  async close(): Promise<void> {
    await this.context.close();
  }

  /** Leaves the profile for other tabs. */
  async closeAlone(): Promise<void> {
    await this.page.close();
  }

  /** In the query of the address; null: it is not there. A choice comes into the address a moment after it was made, and the list may look the same before. */
  async expectInAddress(words: Readonly<Record<string, unknown>>): Promise<void> {
    const told = (): Record<string, string | null> => {
      const { searchParams } = new URL(this.page.url());
      return Object.fromEntries(Object.keys(words).map((word) => [word, searchParams.get(word)]));
    };
    await expect.poll(told).toEqual(words);
  }

  /** No error in the console, no violation of the content policy, nothing thrown. */
  expectNoFaults(): void {
    expect(this.faults).toEqual([]);
  }

  /** For another test: what went wrong before is not its fault. */
  forgetFaults(): void {
    this.faults.splice(0);
  }

  /** No serious or critical finding of axe in what is shown now. */
  async expectAccessible({ only }: { readonly only?: string } = {}): Promise<void> {
    if (!(await this.page.evaluate<boolean>('"axe" in window'))) await this.page.evaluate(AXE);
    const found = await this.page.evaluate<readonly Violation[]>(
      `axe.run(document, { resultTypes: ['violations'], preload: false${only === undefined ? '' : `, runOnly: ['${only}']`} }).then(({ violations }) => violations.map(({ id, impact, nodes }) => ({ id, impact, nodes: nodes.map(({ html, failureSummary }) => html.slice(0, 200) + ' ' + failureSummary) })))`,
    );
    expect(found.filter(({ impact }) => impact === 'serious' || impact === 'critical')).toEqual([]);
  }

  /** The same, and the colours of the other theme too, which is the one thing that it changes. */
  async expectAccessibleInBothThemes(): Promise<void> {
    await this.expectAccessible();
    for (const colorScheme of ['dark', 'light'] as const) {
      await this.page.emulateMedia({ colorScheme });
      await this.page.locator(`html[data-mantine-color-scheme="${colorScheme}"]`).waitFor();
      if (colorScheme === 'dark') await this.expectAccessible({ only: 'color-contrast' });
    }
  }

  /** Nothing is wider than the screen: one never has to scroll sideways to read. */
  async expectNoSidewaysScroll(): Promise<void> {
    // What measures itself, such as a chart, follows the screen's width a moment later.
    await expect.poll(() => this.page.evaluate<number>('document.documentElement.scrollWidth - document.documentElement.clientWidth')).toBeLessThanOrEqual(0);
  }

  /** Names of what has the focus, one Tab press after the other; stops at `until` or after `most`. */
  async tabWalk({ until, most = 40, focusShown = false }: { readonly until?: RegExp; readonly most?: number; /** Each has to show that it has the focus. */ readonly focusShown?: boolean } = {}): Promise<string[]> {
    const names: string[] = [];
    for (let i = 0; i < most; i += 1) {
      await this.page.keyboard.press('Tab');
      const name = await this.page.evaluate<string>(
        `(document.activeElement?.getAttribute('aria-label') ?? document.activeElement?.textContent ?? '').trim()`,
      );
      names.push(name);
      if (focusShown) expect(await this.page.evaluate<boolean>(FOCUS_SHOWN), `${name} shows that it has the focus`).toBe(true);
      if (until?.test(name) === true) break;
    }
    return names;
  }
}

interface Violation {
  readonly id: string;
  readonly impact: string;
  readonly nodes: readonly string[];
}
