import { expect, it } from 'vitest';
import { percent } from './percent';
import { decisionWord, onlyText, outcomeText, sawText } from './row-words';

const ROW = { namespace: 'default', queue: 'q', id: 'j', verdict: 'lost', reason: 'lost', threshold: { source: 'queue', ms: 30_000 }, action: 'requeue', level: 'act', outcome: 'decided', decisions: ['requeued'] } as const;
const row = (changes: object) => ({ ...ROW, decisions: [...ROW.decisions], ...changes });

it('says what was seen, and by which limit', () => {
  expect(sawText(ROW)).toBe('lost, longer than the limit of its queue, 30 s');
  expect(sawText({ verdict: null, reason: 'backoff', threshold: null })).toBe('backoff over');
  expect(sawText({ verdict: null, reason: 'toString', threshold: null })).toBe('toString');
});

it('says what came of it: held back by what, not true by then, let by whom', () => {
  expect(outcomeText(row({ outcome: 'held', heldBy: 'lane:http' }))).toBe('held back: events not read yet');
  expect(outcomeText(row({ outcome: 'refused', refusal: 'moved_on' }))).toBe('approved, and not true any more (the job has moved on)');
  expect(outcomeText(row({ approvedBy: 'ada' }))).toBe('done, approved by ada');
  expect(decisionWord('requeued')).toBe('put back');
  expect(decisionWord('constructor')).toBe('constructor');
});

it('says of the one job of a run what was seen, and what came of it', () => {
  expect(onlyText(row({}))).toBe('lost: put back');
  expect(onlyText(row({ outcome: 'would-have' }))).toBe('lost: only said');
  expect(onlyText(row({ outcome: 'held', decisions: [], heldBy: 'paused' }))).toMatch(/^lost: held back: /);
});

it('never rounds a share up, since a level hangs on it', () => {
  expect([percent(1), percent(0.9999), percent(0.95), percent(0.29), percent(0)]).toEqual(['100%', '99.9%', '95%', '29%', '0%']);
});
