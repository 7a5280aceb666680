import { expect, test } from 'vitest';
import type { DecisionView } from '#libs/contracts';
import { sentenceOf } from './troubles.js';

const decision = (kind: DecisionView['kind'], over: Partial<DecisionView> = {}): DecisionView => ({
  n: 1,
  kind,
  attempt: 1,
  reason: 'lost',
  by: 'jobwarden',
  at: '2026-01-01T00:00:00.000Z',
  ...over,
});

test('a lost attempt is told with its worker and its lease', () => {
  const lost = decision('restart-requested', { previousWorker: { id: 'w2' }, evidence: { threshold: { source: 'queue', ms: 3_000 } } });
  expect(sentenceOf(lost)).toEqual({ mark: 'FOUND', text: 'lost: w2 has been silent for longer than its lease of 3 s', short: 'lost' });
});

test('a hung one is told apart from a lost one', () => {
  expect(sentenceOf(decision('restart-requested', { reason: 'hung' }))?.text).toContain('longer than the hard timeout');
});

test('a requeue names the attempt and its token, a dead letter the attempts used up', () => {
  expect(sentenceOf(decision('requeued', { attempt: 2, token: 77 }))?.text).toBe('requeued: attempt 2 with fencing token 77');
  expect(sentenceOf(decision('dead-lettered', { attempt: 3 }))?.short).toBe('dead-lettered after 3 attempts');
});

test('what changes nothing for the reader is not told', () => {
  expect(sentenceOf(decision('stop-requested'))).toBeNull();
});
