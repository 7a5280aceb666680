import { expect, it } from 'vitest';
import type { GateAnswer, GateRequest } from './canary-gate.js';
import { LastAnswers } from './last-answers.js';

const TARGET = { target: 'shop/mailer', queue: null } as const;
const QUEUE = { target: null, queue: { namespace: 'shop', queue: 'mail' } } as const;

function asked(scope: GateRequest['scope'], changes: Partial<GateAnswer> = {}, namespaces: GateRequest['namespaces'] = 'all') {
  const answer = { scope, verdict: 'inconclusive', pass: false, closed: [], canary: { revision: '2', track: 'canary' }, ...changes } as unknown as GateAnswer;
  return [{ scope, namespaces }, answer] as const;
}

const told = (answers: LastAnswers, seen: GateRequest['namespaces'] = 'all') => answers.of(seen).map(({ answer: { scope, verdict } }) => `${scope.target ?? scope.queue.queue} ${verdict}`);

it('tells what was answered last of each, what lets nothing through first, for an hour', () => {
  let nowMs = 0;
  const answers = new LastAnswers(() => nowMs);
  answers.told(...asked(TARGET));
  answers.told(...asked(TARGET, { verdict: 'healthy', pass: true }));
  answers.told(...asked(QUEUE, { verdict: 'unhealthy' }));
  expect(told(answers)).toEqual(['mail unhealthy', 'shop/mailer healthy']);
  nowMs = 3_600_000;
  answers.told(...asked(TARGET));
  nowMs += 1;
  expect(told(answers)).toEqual(['shop/mailer inconclusive']);
});

it('forgets where no rollout goes on, and what nobody knows', () => {
  const answers = new LastAnswers(() => 0);
  answers.told(...asked(TARGET));
  answers.told(...asked(TARGET, { canary: null }));
  expect(told(answers)).toEqual([]);
});

it('tells nobody of what was judged with queues that are not theirs', () => {
  const answers = new LastAnswers(() => 0);
  answers.told(...asked(TARGET));
  answers.told(...asked(TARGET, { verdict: 'healthy' }, ['shop']));
  answers.told(...asked(QUEUE));
  expect(told(answers, ['shop'])).toEqual(['mail inconclusive', 'shop/mailer healthy']);
  expect(told(answers, ['other'])).toEqual([]);
  expect(told(answers)).toEqual(['mail inconclusive', 'shop/mailer inconclusive']);
});

it('holds so many names and no more', () => {
  const answers = new LastAnswers(() => 0);
  for (let i = 0; i < 300; i += 1) answers.told(...asked({ target: `t${String(i)}`, queue: null }));
  expect(told(answers)).toHaveLength(200);
  expect(told(answers)).toContain('t299 inconclusive');
});
