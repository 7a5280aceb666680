import { expect, it } from 'vitest';
import { asksOf, urgentFirst } from './asks';
import { filtersOf, isFiltered } from './filters';
import type { ListedIncident } from './incidents-queries';
import { standing, type Revision } from './refused-now';
import { windowState } from './window-state';

it('reads filters of the address, and passes over what means nothing', () => {
  expect(filtersOf(new URLSearchParams('state=open&queue=mails&cause=bad_revision'))).toEqual({ state: 'open', queue: 'mails', cause: 'bad_revision' });
  expect(filtersOf(new URLSearchParams('state=new&queue=&cause=toString'))).toEqual({});
  expect(isFiltered({})).toBe(false);
  expect(isFiltered({ queue: 'mails' })).toBe(true);
});

it('says how a maintenance window stands', () => {
  const window = { from: '2026-01-31T12:00:00Z', until: '2026-01-31T13:00:00Z', endedAt: null };
  const at = (time: string) => Date.parse(`2026-01-31T${time}Z`);
  expect(windowState(window, at('11:59:59'))).toBe('ahead');
  expect(windowState(window, at('12:00:00'))).toBe('now');
  expect(windowState(window, at('13:00:00'))).toBe('over');
  expect(windowState({ ...window, endedAt: '2026-01-31T12:30:00Z' }, at('12:10:00'))).toBe('ended');
});

it('shows a refusal once, with the workers of every queue that it was seen in', () => {
  const refused = { id: '1', namespace: 'default', queue: null, revision: 'v42', reason: 'it leaks', by: 'ada', at: '2026-01-31T12:00:00Z', lifted: null };
  const seen = (queue: string, workers: number, of: Revision['refused']): Revision => ({ namespace: 'default', queue, revision: 'v42', workers, running: 1, lastBeatAt: null, record: null, refused: of });
  expect(standing([seen('a', 2, refused), seen('b', 3, refused), seen('c', 9, null)])).toEqual([{ refusal: refused, workers: 5, running: 2 }]);
});

const listed = (id: string, run: Partial<NonNullable<ListedIncident['run']>> | null, status: ListedIncident['status'] = 'open'): ListedIncident => ({
  ...{ incidentId: id, kind: 'saturation', subject: 'default/by-hand/mails', summary: 'mails is saturated', openedAt: '2026-01-31T12:00:00Z', resolvedAt: null, namespace: null, queue: null, cause: null, status },
  ...(run !== null && {
    run: { phase: 'assessing', waitsFor: null, until: null, target: null, source: 'signal', dryRun: false, drill: false, blamed: null, code: null, takenBy: null, queues: [], queueCount: 0, ...run },
  }),
});

it('says what an incident asks of somebody, and lists those first that do', () => {
  const waits = listed('1', { phase: 'waiting-for-approval' });
  const held = listed('2', { phase: 'throttling', waitsFor: 'the stop switch' });
  const goesOn = listed('3', { phase: 'readmitting' });
  const stopped = listed('4', { phase: 'escalated', code: 'forbidden' });
  const lane = listed('5', null);
  expect([waits, held, goesOn, stopped, lane].map((one) => asksOf(one).says)).toEqual([
    ...['Read the plan, and approve it or stop it', 'All actions are stopped: let them go on, or go on by hand', 'Nothing for now: letting work in'],
    ...['Go on by hand: automation has stopped', 'Look at it, and say when it is over'],
  ]);
  expect(urgentFirst([goesOn, waits, listed('6', { phase: 'over' }, 'resolved'), lane]).map(({ incidentId }) => incidentId)).toEqual(['1', '5', '3', '6']);
});
