import { expect, test } from 'vitest';
import type { TroubleReport } from './journal.js';
import { summaryLines } from './summary.js';

const report = (over: Partial<TroubleReport> = {}): TroubleReport => ({
  jobId: 'a',
  trouble: 'its worker died',
  found: 'lost',
  done: 'requeued',
  tookMs: 4_321,
  settled: true,
  addresses: ['http://x/a', 'http://x/runs'],
  ...over,
});

test('every trouble has a row, and every address a line', () => {
  const lines = summaryLines([report(), report({ jobId: 'longer', addresses: ['http://x/b'] })]);
  expect(lines[2]).toMatch(/^a {7}its worker died +lost +requeued +4\.3 s$/u);
  expect(lines.slice(-3)).toEqual(['  a       http://x/a', '          http://x/runs', '  longer  http://x/b']);
});

test('what was not dealt with is plain to see', () => {
  const [, , row] = summaryLines([report({ settled: false, found: null, done: null })]);
  expect(row).toContain('NOT FOUND');
  expect(row).toContain('NOT DEALT WITH');
});
