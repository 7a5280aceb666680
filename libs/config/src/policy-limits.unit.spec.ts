import { DEFAULT_LIMITS, LIMIT_SETTINGS } from '#libs/contracts';
import { expect, it } from 'vitest';
import { LIMIT_FIELDS } from './policy-limits.js';
import { faultsOf, goodPolicy } from './policy.fixture.js';

it('limits and budget have the defaults of the contract', () => {
  expect(goodPolicy('').limits).toEqual({ ...DEFAULT_LIMITS, queueLabels: 1_000 });
  expect(goodPolicy('').budget).toEqual({ perSecond: 200, burst: 400 });
});

it('limits and budget can be set', () => {
  const file = goodPolicy('limits: {body: 64KiB, jobId: 128, duration: 7d}\nbudget: {perSecond: 0.5}');
  expect(file.limits).toMatchObject({ bodyBytes: 65_536, jobIdBytes: 128, durationMs: 604_800_000 });
  expect(file.budget).toEqual({ perSecond: 0.5, burst: 1 });
});

it.each([
  'body: 1GiB',
  'body: 0',
  'batch: 0',
  'nesting: 1000',
  'duration: 401d',
  'bodies: 1MiB',
  'jobId: 1.5',
  'text: 2MiB',
])('limits are refused: %s', (line) => expect(faultsOf(`limits: {${line}}`)).toHaveLength(1));

it('limits have the names here that messages give them', () => {
  expect(Object.values(LIMIT_SETTINGS).sort()).toEqual(
    Object.keys(LIMIT_FIELDS).filter((name) => name !== 'queueLabels').map((name) => `limits.${name}`).sort(),
  );
});
