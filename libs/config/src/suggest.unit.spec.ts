import { describe, expect, it } from 'vitest';
import { didYouMean, suggestFor } from './suggest.js';

describe('did you mean', () => {
  it.each([
    ['leese', 'lease'],
    ['maxretries', 'maxRetries'],
    ['hartTimeout', 'hardTimeout'],
    ['garce', 'grace'],
  ])('%s → %s', (word, meant) => {
    expect(didYouMean(word, ['lease', 'grace', 'maxRetries', 'hardTimeout'])).toBe(meant);
  });

  it('says nothing when nothing is near, and lists what there is', () => {
    expect(didYouMean('colour', ['lease', 'grace'])).toBeNull();
    expect(suggestFor('colour', ['lease', 'grace'])).toBe('known here: lease, grace');
  });

  it('costs little for a very long word', () => {
    expect(didYouMean('x'.repeat(1_000_000), ['lease'])).toBeNull();
  });
});
