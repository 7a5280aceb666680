import { expect, it } from 'vitest';
import { byDay } from './trend';

it('adds hours up to days, and leaves out what is older or lies ahead', () => {
  const now = Date.parse('2026-03-10T05:30:00Z');
  const hours = [
    { from: '2026-03-10T05:00:00Z', letters: 2 },
    { from: '2026-03-10T00:00:00Z', letters: 3 },
    { from: '2026-03-09T23:00:00Z', letters: 7 },
    { from: '2026-03-07T12:00:00Z', letters: 9 },
    { from: '2026-03-11T00:00:00Z', letters: 1 },
  ];
  expect(byDay(hours, now, 3)).toEqual([0, 7, 5]);
});
