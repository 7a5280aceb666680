import { expect, it } from 'vitest';
import { chainOf } from './chain';
import { wordsOf } from './event-words';
import type { DecisionView } from './job-queries';
import { at, attemptView, decisionView, jobDetail } from './job.fixture';

/** Every one that the contract has: a new one does not compile without a word here. */
const DECISIONS = {
  ...{ cancelled: 1, discarded: 1, 'resolved-by-hand': 1, 'retry-scheduled': 1, 'held-incomplete': 1, 'restart-requested': 1 },
  ...{ 'restart-withdrawn': 1, requeued: 1, 'dead-lettered': 1, redriven: 1, republished: 1, 'stop-requested': 1, patched: 1 },
  ...{ 'limits-changed': 1, 'payload-erased': 1, 'write-refused': 1, 'invalidation-requested': 1 },
} satisfies Readonly<Record<DecisionView['kind'], 1>>;

const told = (kind: string, data: Record<string, unknown>) => wordsOf({ type: `jobwarden.job.${kind}.v1`, data });

it('says each fact as a sentence, with hidden characters written out', () => {
  expect(told('started', { attempt: 2, worker: { id: 'w\u202e1' } })).toMatchObject({ text: 'w\\u{202e}1 began attempt 2', decision: false });
  expect(told('failed', { attempt: 1, error: { class: 'E', message: 'no' }, retryable: false }).text).toBe('Attempt 1 failed for good: E: no');
  expect(told('succeeded', { attempt: 1, durationMs: 1_200 }).text).toBe('Attempt 1 ended well after 1.2 s');
  expect(told('released', { attempt: 1, worker: { id: 'w' }, reason: 'drained' })).toMatchObject({ said: 'drained' });
});

it('says each decision as a sentence, by whom, and why where a person said it', () => {
  const lost = told('restart-requested', { n: 1, attempt: 1, reason: 'lost', by: 'jobwarden', evidence: { threshold: { ms: 30_000 } } });
  expect(lost).toMatchObject({ text: 'Attempt 1 was taken for lost: silent for longer than 30 s. Its worker is asked to stop', by: 'Jobwarden', decision: true });
  expect(lost.said).toBeUndefined();
  expect(told('restart-requested', { n: 1, attempt: 1, reason: 'stuck', by: 'ada' })).toMatchObject({ text: 'Attempt 1 is to be run again. Its worker is asked to stop', by: 'ada', said: 'stuck' });
  expect(told('dead-lettered', { n: 2, attempt: 3, reason: 'failed', by: 'jobwarden', evidence: { retriesUsed: 2, maxRetries: 2 } }).text).toContain('all 2 retries are used up');
  expect(told('dead-lettered', { n: 2, attempt: 3, reason: 'poison_pill', by: 'jobwarden', evidence: { owners: [{ workers: [{ id: 'a' }] }, { workers: [{ id: 'b' }] }] } }).text).toContain('(a, b)');
  expect(told('cancelled', { n: 1, reason: 'not wanted', by: 'ada' })).toMatchObject({ text: 'Cancelled', said: 'not wanted', decision: true });
  expect(told('cancelled', { queue: 'q' })).toMatchObject({ decision: false });
});

it('has a sentence of its own for every decision that there is', () => {
  for (const kind of Object.keys(DECISIONS)) expect(told(kind, { n: 1, attempt: 1, reason: 'x', by: 'jobwarden' }).text, kind).not.toMatch(/^(Decided|Told):/);
  expect(told('of-tomorrow', { n: 1 }).text).toBe('Decided: of-tomorrow');
});

it('says what is no event of a job at all', () => {
  expect(wordsOf({ type: 'x', data: { attempt: {}, by: 7, evidence: 'no' } })).toMatchObject({ text: 'Decided: x', by: 'Jobwarden' });
});

it('tells how it came to a dead letter: the ends that led to it, then the decisions, then who took it up again', () => {
  const job = jobDetail({
    status: 'requeued',
    attempts: [
      attemptView(1, { outcome: 'failed', endedAt: at(1), error: { class: 'E', message: 'first' } }),
      attemptView(2, { outcome: 'failed', endedAt: at(5), error: { class: 'F', message: 'second' } }),
      attemptView(3),
    ],
    decisions: [
      decisionView(1, 'retry-scheduled', 1, 2),
      decisionView(2, 'dead-lettered', 2, 5, { reason: 'failed' }),
      decisionView(3, 'redriven', 2, 9, { by: 'ada', reason: 'mended' }),
    ],
  });
  expect(chainOf(job).map(({ text, said, error }) => [text, said ?? error?.message])).toEqual([
    ['Attempt 1 failed (w1)', 'first'],
    ['Attempt 2 failed (w2)', 'second'],
    ['Given up as a dead letter after attempt 2 failed', undefined],
    ['Taken up again by ada', 'mended'],
  ]);
  expect(chainOf(jobDetail({ attempts: [attemptView(1, { outcome: 'succeeded' })] }))).toEqual([]);
});
