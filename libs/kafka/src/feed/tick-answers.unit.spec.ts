import { expect, test } from 'vitest';
import { TickAnswers } from './tick-answers.js';

test('ticks that are acknowledged in time leave nothing unsure', () => {
  const answers = new TickAnswers();
  expect(answers.unsureUpTo(0, 0)).toBe(-1);
  answers.sent(0, 0);
  answers.acknowledged(0, 7, 1_000);
  expect(answers.unsureUpTo(0, 60_000)).toBe(-1);
});

test('from a refusal on a partition is unsure, up to the next tick that is acknowledged', () => {
  const answers = new TickAnswers();
  answers.sent(0, 0);
  answers.failed(0);
  expect([answers.isUnsure(0, 1), answers.isUnsure(1, 1)]).toEqual([true, false]);
  answers.sent(0, 10);
  expect(answers.isUnsure(0, 11)).toBe(true);
  answers.acknowledged(0, 12, 20);
  expect([answers.isUnsure(0, 21), answers.unsureUpTo(0, 21)]).toEqual([false, 12]);
  answers.sent(0, 30);
  answers.acknowledged(0, 15, 40);
  expect(answers.unsureUpTo(0, 50)).toBe(12);
});

test('so it is while an answer is late, also when it then comes', () => {
  const answers = new TickAnswers();
  answers.sent(0, 0);
  expect(answers.isUnsure(0, 1_000)).toBe(false);
  answers.sent(0, 900);
  expect(answers.isUnsure(0, 1_001)).toBe(true);
  answers.acknowledged(0, 3, 2_000);
  expect(answers.unsureUpTo(0, 9_000)).toBe(3);
});
