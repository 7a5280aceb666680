import { expect, it } from 'vitest';
import { missingIn } from './missing';
import type { Item, Postmortem } from './postmortem-query';

const item = (name: string, asks: string): Item => ({ item: name, asks, answeredBy: 'open', data: null, person: null });

it('says what is missing as the questions ask it, and what it does not know by its name', () => {
  const postmortem: Pick<Postmortem, 'missing' | 'checklists'> = { missing: ['timeouts', 'resolved', 'newer'], checklists: [{ checklist: 'hardening', title: 'Again?', items: [item('timeouts', 'Do they have timeouts?')] }] };
  expect(missingIn(postmortem)).toEqual(['Do they have timeouts?', 'The incident is not over yet.', 'newer']);
});
