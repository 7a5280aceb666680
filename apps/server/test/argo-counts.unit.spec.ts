import { describe, expect, it } from 'vitest';
import { assessed, shippedMetric, type Measured, type WebMetric } from './argo.fixture.js';

const times = (count: number, measured: Measured): Measured[] => Array.from({ length: count }, () => measured);
const { count, consecutiveErrorLimit } = shippedMetric();

describe.each(['1.7', '1.8'] as const)('the analysis that is shipped, as Argo Rollouts %s counts', (release) => {
  const after = (measurements: readonly Measured[], changed: Partial<WebMetric> = {}) => assessed(measurements, release, { ...shippedMetric(), ...changed });

  it('promotes no canary of which nothing could be told, however long it was looked at', () => {
    expect(after(times(count - 1, 'Inconclusive'))).toBe('Running');
    expect(after(times(count, 'Inconclusive'))).toBe('Inconclusive');
    expect(after([...times(consecutiveErrorLimit, 'Error'), ...times(count, 'Inconclusive')])).toBe('Inconclusive');
  });

  it('promotes one that is told to be healthy at the last look', () => {
    expect(after([...times(count - 1, 'Inconclusive'), 'Successful'])).toBe('Successful');
  });

  it('fails with the first look that says unhealthy, the last one too', () => {
    expect(after(['Failed'])).toBe('Failed');
    expect(after([...times(count - 1, 'Inconclusive'), 'Failed'])).toBe('Failed');
  });

  it('outlives some looks without an answer, and promotes nothing by them', () => {
    expect(after(times(consecutiveErrorLimit, 'Error'))).toBe('Running');
    expect(after([...times(consecutiveErrorLimit, 'Error'), 'Inconclusive', ...times(consecutiveErrorLimit, 'Error')])).toBe('Running');
    expect(after(times(consecutiveErrorLimit + 1, 'Error'))).toBe('Error');
  });

  it('would promote what nobody could tell, up to 1.7, were as many allowed to be inconclusive as are counted', () => {
    expect(after(times(count, 'Inconclusive'), { inconclusiveLimit: count })).toBe(release === '1.7' ? 'Successful' : 'Inconclusive');
  });
});

it('one that is healthy is promoted at once from 1.8 on, and before that when all are counted', () => {
  expect(assessed(['Successful'], '1.8')).toBe('Successful');
  expect(assessed(['Successful'], '1.7')).toBe('Running');
  expect(assessed(times(count, 'Successful'), '1.7')).toBe('Successful');
});
