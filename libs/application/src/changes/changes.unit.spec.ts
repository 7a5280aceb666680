import { expect, it } from 'vitest';
import type { ChangeMarks, ChangeStore, Touched } from '../ports/change-store.port.js';
import { Changes } from './changes.js';

/** One step of each of these incidents, after the first look. */
function storeOf(incidents: Touched['incidents']): ChangeStore {
  let looks = 0;
  const marks = (): ChangeMarks => ({
    ...{ numbers: [looks === 1 ? 0 : 1], verdict: 0 },
    others: { redrive: '', run: '', quarantine: '', 'dead-letters': '', incident: '', installation: '', signal: '', maintenance: '', revision: '' },
  });
  return {
    marks: () => {
      looks += 1;
      return Promise.resolve(marks());
    },
    touched: () => Promise.resolve({ jobs: [], incidents }),
    judged: () => Promise.resolve([]),
  };
}

it.each([
  ['every namespace', 'all' as const],
  ['one namespace', ['acme']],
])('says of what lies in no namespace that it changed, and not which it was: to a reader of %s', async (_, namespaces) => {
  const ending = new AbortController();
  const changes = new Changes(storeOf([{ id: '7', namespace: null, queue: null }, { id: '8', namespace: 'shop', queue: 'mail' }]), { everyMs: 1 });
  const items = changes.subscribe(namespaces, ending.signal);
  await items.next();
  const { value } = await items.next();
  ending.abort();
  await items.return();
  expect(value).toEqual({ id: '', event: 'changes', data: JSON.stringify([{ what: 'incident' }]) });
});
