import { expect, it } from 'vitest';
import type { Tab } from '../harness/tab.js';
import type { Desk } from './desk.js';

/** What has the focus: its name, and whether a ring says so. */
interface Focus {
  readonly name: string;
  readonly seen: boolean;
  readonly inDialog: boolean;
}

const FOCUS = `(() => {
  const at = document.activeElement;
  const label = at.labels?.[0]?.textContent ?? document.getElementById(at.getAttribute('aria-labelledby') ?? '')?.textContent;
  const shown = (one) => { const style = getComputedStyle(one); return (style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) > 0) || style.borderColor !== getComputedStyle(document.body).borderColor; };
  return { name: (at.getAttribute('aria-label') ?? label ?? at.textContent ?? '').trim(), seen: at.matches(':focus-visible') && shown(at), inDialog: at.closest('[role=dialog]') !== null };
})()`;

const focus = async (tab: Tab): Promise<Focus> => await tab.page.evaluate<Focus>(FOCUS);

/** Presses Tab until something of this name has the focus; each step must be seen. */
async function tabTo(tab: Tab, name: RegExp, most = 60): Promise<readonly string[]> {
  const names: string[] = [];
  for (let i = 0; i < most; i += 1) {
    await tab.page.keyboard.press('Tab');
    const at = await focus(tab);
    expect(at.seen, `the focus on “${at.name}” is seen`).toBe(true);
    names.push(at.name);
    if (name.test(at.name)) return names;
  }
  throw new Error(`Tab never came to ${String(name)}, but to ${names.join(' | ')}`);
}

/** Through a dialog once around: the focus never leaves it. */
async function staysInDialog(tab: Tab): Promise<void> {
  for (let i = 0; i < 8; i += 1) {
    await tab.page.keyboard.press(i < 6 ? 'Tab' : 'Shift+Tab');
    expect(await focus(tab)).toMatchObject({ inDialog: true });
  }
}

export function testKeyboard(desk: Desk): void {
  it('leads without a mouse to the pattern, through the patch of one letter, and through the redrive of the rest', async () => {
    const { stories } = desk;
    const tab = await desk.open('/dead-letters?queue=keys');
    const { keyboard } = tab.page;
    await tab.page.getByRole('link', { name: 'SmtpError: no such key' }).waitFor();
    const order = await tabTo(tab, /^SmtpError: no such key/);
    expect(order.filter((name) => /^(Skip|Mark all|Queue|By cause|Count what|Only new|SmtpError)/.test(name)).map((name) => name.split(' ')[0])).toEqual(['Skip', 'Mark', 'By', 'Queue', 'Count', 'Only', 'SmtpError:']);
    await keyboard.press('Enter');
    await tab.page.getByRole('heading', { level: 1, name: 'SmtpError: no such key' }).waitFor();
    expect((await focus(tab)).name).toContain('no such key');

    await tab.page.getByRole('link', { name: 'keys-1' }).waitFor();
    await tabTo(tab, /^keys-1$/);
    await keyboard.press('Enter');
    await tab.page.getByRole('heading', { level: 1, name: 'Dead letter keys-1' }).waitFor();
    await tab.page.getByRole('button', { name: 'Edit the payload' }).waitFor();
    await tabTo(tab, /^Edit the payload$/);
    await keyboard.press('Enter');
    await tab.page.getByRole('textbox', { name: 'Payload' }).waitFor();
    if ((await focus(tab)).name !== 'Payload') await tabTo(tab, /^Payload$/);
    await keyboard.press('Control+A');
    await keyboard.insertText('{"to":"bob@example.com"}');
    await tabTo(tab, /^Change and redrive$/);
    await keyboard.press('Enter');
    await tab.page.getByRole('dialog').getByLabel('Reason').waitFor();
    await staysInDialog(tab);
    await keyboard.press('Escape');
    await tab.page.getByRole('dialog').waitFor({ state: 'detached' });
    await expect.poll(async () => (await focus(tab)).name).toBe('Change and redrive');
    await keyboard.press('Enter');
    await tab.page.getByRole('dialog').getByLabel('Reason').waitFor();
    await expect.poll(async () => (await focus(tab)).name).toMatch(/^Reason/);
    await keyboard.type('by hand alone');
    await tabTo(tab, /^Change and redrive$/, 4);
    await keyboard.press('Enter');
    await tab.page.getByText('operator has sent it round again: “by hand alone”').waitFor();
    await expect.poll(async () => (await focus(tab)).name).toContain('keys-1');

    await tab.go(await stories.patternPath('keys'), 'SmtpError: no such key');
    await tab.page.getByRole('link', { name: 'keys-2' }).waitFor();
    await tabTo(tab, /^Redrive all of them$/);
    await keyboard.press('Enter');
    const dialog = tab.page.getByRole('dialog');
    await dialog.getByText(/Sends 2 dead letters/).waitFor();
    await expect.poll(async () => (await focus(tab)).inDialog).toBe(true);
    if (!(await focus(tab)).name.startsWith('Reason')) await tabTo(tab, /^Reason/, 8);
    await keyboard.type('the rest');
    await tabTo(tab, /^Redrive all of them$/, 4);
    await keyboard.press('Enter');
    await dialog.getByRole('link', { name: 'Watch it' }).waitFor();
    if ((await focus(tab)).name !== 'Watch it') await tabTo(tab, /^Watch it$/, 8);
    await keyboard.press('Enter');
    await tab.page.getByText('It is over: 2 were put back into their queue').waitFor();
    expect((await stories.decisions('keys-2', 'keys')).map(({ kind }) => kind)).toEqual(['dead-lettered', 'redriven', 'requeued']);
    expect(await stories.payload('keys-1', 'keys')).toBe('{"to":"bob@example.com"}');
    tab.expectNoFaults();
  });
}
