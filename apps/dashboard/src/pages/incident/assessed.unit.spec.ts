import { expect, it } from 'vitest';
import { notApprovable } from './approvable';
import { assessedIn, jobIn } from './assessed';
import { incident, ROLL_BACK, run, steps } from './incident.fixture';
import { placesOf } from './told-of';
import type { Delivery } from './incident-queries';

it('reads the last assessment, and passes over evidence that is none', () => {
  const told = steps(['opened'], ['cause-assessed', { cause: 'unknown' }], ['cause-assessed', { ...ROLL_BACK, says: [{ says: 'It fails.', figures: { bad: 3 } }, 'no', null, { figures: {} }] }]);
  expect(assessedIn(told)).toEqual({ cause: 'bad_revision', subject: 'v42', confidence: 0.97, selfSustained: false, says: [{ says: 'It fails.', figures: { bad: 3 } }] });
  expect(assessedIn(steps(['opened']))).toBeNull();
});

it('finds the job in what is to blame, whatever its names hold', () => {
  const queues = [{ namespace: 'default', queue: 'a' }, { namespace: 'default', queue: 'a/b' }];
  expect(jobIn('default/mails/1', [{ namespace: 'default', queue: 'mails' }])).toEqual({ namespace: 'default', queue: 'mails', id: '1' });
  expect(jobIn('default/a/b', [{ namespace: 'default', queue: 'mails' }, ...queues])).toEqual({ namespace: 'default', queue: 'a', id: 'b' });
  expect(jobIn('v42', queues)).toBeNull();
  expect(jobIn('default/a/', queues)).toBeNull();
});

it('is approvable while it waits, or was escalated with a plan', () => {
  const told = steps(['opened'], ['cause-assessed', ROLL_BACK]);
  expect(notApprovable(incident(told, run('waiting-for-approval')))).toBeNull();
  expect(notApprovable(incident(told, run('escalated')))).toBeNull();
  expect(notApprovable(incident(told, run('isolating')))).not.toBeNull();
  const needsPerson = steps(['opened'], ['cause-assessed', { cause: 'overload', plan: { does: 'nothing' } }]);
  expect(notApprovable(incident(needsPerson, run('escalated')))).not.toBeNull();
  expect(notApprovable(incident(steps(['opened'], ['cause-assessed', { cause: 'unknown', plan: { does: 'nothing' } }]), run('escalated')))).toBeNull();
});

it('puts deliveries together by where they go', () => {
  const to = (n: number, type: string, host: string | null, state: Delivery['state']): Delivery => ({ n, type, host, state, format: 'standard', tries: 0, lastError: null });
  const places = placesOf([to(2, 'resolved', 'b.example', 'refused'), to(1, 'opened', 'b.example', 'delivered'), to(1, 'opened', null, 'parked')]);
  expect(places).toMatchObject([
    { host: 'b.example', page: { state: 'delivered' }, last: { n: 2, state: 'refused' }, pending: [{ n: 2 }] },
    { host: null, page: { state: 'parked' }, pending: [{ n: 1 }] },
  ]);
});
