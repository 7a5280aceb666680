import { expect, it } from 'vitest';
import type { Tab } from '../harness/tab.js';
import { letterPath, type Desk } from './desk.js';

/** Numbers that JavaScript cannot hold, and what people paste. */
export const ODD_PAYLOAD = '{"to":"a\u200bda@example.com","note":"\u202egnp","big":9007199254740993000000001,"__proto__":{"x":1},"deep":[[[[1]]]]}';

async function editor(tab: Tab) {
  await tab.page.getByRole('button', { name: 'Edit the payload' }).click();
  const field = tab.page.getByRole('textbox', { name: 'Payload' });
  await field.waitFor();
  return { field, text: await field.inputValue() };
}

/** The payload, changed: whatever is typed, and whoever else is at it. */
export function testEditor(desk: Desk): void {
  it('changes a payload: shows the difference first, and leaves what was not touched byte for byte', async () => {
    const { stories } = desk;
    const tab = await desk.go(letterPath('single', 'one-1'), 'Dead letter one-1');
    const { field, text } = await editor(tab);
    await field.fill(text.replace('ada@example.con', 'ada@example.com'));
    await desk.act(tab, 'Change and redrive', {
      says: /Changes one place in the payload of the job one-1/,
      reason: 'a wrong address',
      before: async () => {
        await tab.page.getByText('− "ada@example.con"').waitFor();
        await tab.page.getByText('+ "ada@example.com"').waitFor();
        await tab.expectAccessible();
      },
    });
    await tab.page.getByText('operator has sent it round again: “a wrong address”').waitFor();
    // Nothing is left of what was typed, since it was sent.
    expect(await tab.page.getByText('What you have typed').count()).toBe(0);
    const decisions = await stories.decisions('one-1', 'single');
    expect(decisions.map(({ kind }) => kind)).toEqual(['dead-lettered', 'patched', 'redriven', 'requeued']);
    expect(decisions[1]).toMatchObject({ by: 'operator', reason: 'a wrong address' });
    expect(await stories.payload('one-1', 'single')).toContain('"to":"ada@example.com","order":9007199254740005');
    tab.expectNoFaults();
  });

  it('says what is wrong with what was typed, shows what cannot be seen, and lets nothing of it out', async () => {
    const tab = await desk.go(letterPath('odd', 'odd-1'), 'Dead letter odd-1');
    const { field, text } = await editor(tab);
    expect(text).toContain('"a\\u200bda@example.com"');
    expect(text).toContain('"\\u202egnp"');
    expect(text).toContain('9007199254740993000000001');
    const apply = tab.page.getByRole('button', { name: 'Change and redrive' });
    for (const [typed, fault] of [
      ['{"to":', /^This is no JSON/],
      ['{"a":1,"\\u0061":2}', /The key a stands twice/],
      [`${'['.repeat(30_000)}${']'.repeat(30_000)}`, /more than 200 deep/],
      [`{"to":"${'x'.repeat(260_000)}"}`, /more than the 250K that can be edited here/],
    ] as const) {
      await field.fill(typed);
      await tab.page.getByText(fault).first().waitFor();
      expect(await field.getAttribute('aria-invalid')).toBe('true');
      expect(await apply.getAttribute('aria-disabled')).toBe('true');
    }
    await field.fill(text.replace('9007199254740993000000001', '"\u202e\u200f"').replace('"x": 1', '"x": 2'));
    await tab.page.getByText('It holds characters that cannot be seen: \\u{202e}, \\u{200f}.', { exact: false }).waitFor();
    await tab.page.getByRole('button', { name: 'Write them as \\u…' }).click();
    expect(await field.inputValue()).toContain('"\\u202e\\u200f"');
    await apply.click();
    // The service takes no path over a prototype, whoever sends it.
    await tab.page.getByRole('dialog').getByText('patch_path_refused').waitFor();
    await tab.page.keyboard.press('Escape');
    for (const refused of ['1e999', `${'['.repeat(60)}${']'.repeat(60)}`]) {
      await field.fill(text.replace('9007199254740993000000001', refused));
      await apply.click();
      await tab.page.getByRole('dialog').getByText('payload_refused').waitFor();
      await tab.page.keyboard.press('Escape');
    }
    await field.fill(text.replace('9007199254740993000000001', '"\u202e\u200f"'));
    await desk.act(tab, 'Change and redrive', { says: /Changes one place/, reason: 'odd', before: () => tab.page.getByText('+ "\\u{202e}\\u{200f}"').waitFor() });
    await tab.page.getByText('It is no dead letter any more').waitFor();
    expect(await desk.stories.payload('odd-1', 'odd')).toBe(ODD_PAYLOAD.replace('9007199254740993000000001', '"\u202e\u200f"'));
    tab.expectNoFaults();
  });

  it('shows a payload that is too large, or that no editor can hold, and says how it is changed', async () => {
    const tab = await desk.go(letterPath('odd', 'large'), 'Dead letter large');
    await tab.page.getByText(/It is larger than 65,536 characters: change it by the command line or the API/).waitFor();
    await tab.go(letterPath('odd', 'text'), 'Dead letter text');
    const { text } = await editor(tab);
    expect(text).toBe('"only a text"');
  });

  it('keeps what was typed where somebody else was quicker, and says who; of an erased payload nothing is kept', async () => {
    const { stories, dashboard } = desk;
    const tab = await desk.go(letterPath('raced', 'edit-1'), 'Dead letter edit-1');
    const { field, text } = await editor(tab);
    await field.fill(text.replace('ada@', 'bob@'));
    await tab.page.getByRole('button', { name: 'Change and redrive' }).click();
    await tab.page.getByRole('dialog').getByLabel('Reason').fill('mine');
    await stories.redrive('edit-1', 'raced');
    await tab.page.getByText('admin has sent it round again: “the relay is back”').waitFor();
    expect(await tab.page.getByRole('dialog').count()).toBe(0);
    await tab.page.getByText('It was not sent, and is not kept: copy what you need of it.').waitFor();
    await tab.page.getByRole('region', { name: 'What you have typed' }).getByText('bob@example.con', { exact: false }).waitFor();
    expect(await tab.page.evaluate('document.activeElement.tagName')).toBe('H1');
    await tab.expectAccessible();
    expect((await stories.decisions('edit-1', 'raced')).filter(({ kind }) => kind === 'patched')).toEqual([]);

    await tab.go(letterPath('raced', 'edit-2'), 'Dead letter edit-2');
    const other = await editor(tab);
    await other.field.fill(other.text.replace('ada@', 'carol@'));
    await dashboard.service.call('DELETE', '/v1/jobs/one/payload?queue=raced&id=edit-2', { reason: 'asked for' });
    await tab.page.getByText('Its payload was erased for good: it cannot be run again, only resolved or discarded.').waitFor();
    expect(await tab.page.getByText('carol@').count()).toBe(0);
    expect(await tab.page.getByRole('button', { name: 'Redrive', exact: true }).getAttribute('aria-disabled')).toBe('true');
    tab.expectNoFaults();
  });
}
