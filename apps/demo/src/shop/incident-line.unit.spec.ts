import { expect, test } from 'vitest';
import { incidentLine } from './incident-line.js';

test('a step is told in words, with the person who did it', () => {
  expect(incidentLine({ type: 'approved', by: 'local', reason: 'it is to blame' })).toBe('approved, by local (it is to blame)');
  expect(incidentLine({ type: 'verified', by: 'jobwarden', reason: '' })).toBe('work succeeds again');
});

test('what says too little for a terminal is left to the page', () => {
  expect(incidentLine({ type: 'intake-throttled', by: 'jobwarden', reason: 'x' })).toBeNull();
});
