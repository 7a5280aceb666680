import { describe, expect, it } from 'vitest';
import { faultsOf, goodPolicy } from './policy.fixture.js';

const policyWith = (steps: string): string => `defaults: {readmit: {steps: ${steps}}}\n`;

describe('the steps of readmission', () => {
  it.each(['[5, 50, 100]', '"5, 50, 100"'])('are a list or a text: %s', (written) => {
    expect(goodPolicy(policyWith(written)).defaults.policy.readmit.steps).toEqual([5, 50, 100]);
  });

  it.each(['[5, 50]', '[50, 5, 100]', '[0, 100]', '[5, 5, 100]', '[]', 'all', '{a: 1}', '[x, 100]'])('rise, and end with everything: not %s', (written) => {
    expect(faultsOf(policyWith(written))[0]?.rule).toMatch(/^must be shares that rise to 100/u);
  });
});
