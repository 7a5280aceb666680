import type { Dashboard } from '../harness/dashboard.js';
import { TOKENS } from '../harness/service.js';
import type { Tab, TabOptions } from '../harness/tab.js';
import { LetterStories } from './stories.js';

export const HOSTILE = '<img src=x onerror=alert(1)> \u202egnp';
/** As the pages must show it. */
export const HOSTILE_SHOWN = '<img src=x onerror=alert(1)> \\u{202e}gnp';

interface Act {
  /** What the dialog says before anything is done. */
  readonly says: RegExp;
  readonly reason?: string;
  /** With the dialog open. */
  readonly before?: () => Promise<unknown>;
}

/** What the tests of these pages share: the service, what is told to it, and how one acts. */
export class Desk {
  /** `mail-1` has been redriven and has died again: begun before the tests, and needed by one. */
  backAgain: Promise<void> = Promise.resolve();

  constructor(readonly dashboard: Dashboard) {}

  get stories(): LetterStories {
    return new LetterStories(this.dashboard.service);
  }

  async open(path: string, token: keyof typeof TOKENS = 'operator', look: TabOptions = {}): Promise<Tab> {
    const tab = await this.dashboard.open({ token: TOKENS[token], ...look });
    await tab.goto(path);
    return tab;
  }

  /** In the tab that the tests share. */
  async go(path: string, heading: string | RegExp, token: keyof typeof TOKENS = 'operator'): Promise<Tab> {
    const tab = await this.dashboard.shared({ token: TOKENS[token] });
    await tab.go(path, heading);
    return tab;
  }

  /** Opens the dialog, gives the reason, confirms. */
  async act(tab: Tab, label: string, { says, reason, before }: Act): Promise<void> {
    await tab.page.getByRole('button', { name: label, exact: true }).click();
    const dialog = tab.page.getByRole('dialog');
    await dialog.getByText(says).first().waitFor();
    await before?.();
    if (reason !== undefined) await dialog.getByLabel('Reason').fill(reason);
    await dialog.getByRole('button', { name: label, exact: true }).click();
  }
}

export const letterPath = (queue: string, id: string): string => `/dead-letters?${new URLSearchParams({ queue, id }).toString()}`;
