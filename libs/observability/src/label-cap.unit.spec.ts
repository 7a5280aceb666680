import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LabelCap, OTHER, sanitiseLabel } from './label-cap.js';

describe('a capped label', () => {
  it('keeps the first names for ever and gives the rest to other', () => {
    const cap = new LabelCap(2);
    expect(['a', 'b', 'c', 'a', 'd', 'b'].map((name) => cap.labelOf(name))).toEqual(['a', 'b', OTHER, 'a', OTHER, 'b']);
    expect(cap.size).toBe(2);
  });

  it('gives a queue that is called other no place of its own', () => {
    const cap = new LabelCap(1);
    expect([cap.labelOf(OTHER), cap.labelOf('a'), cap.size]).toEqual([OTHER, 'a', 1]);
  });

  it('never shows more than its cap, whatever the names', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'binary', maxLength: 300 }), { maxLength: 200 }), (names) => {
        const cap = new LabelCap(10);
        const labels = new Set(names.map((name) => cap.labelOf(name)));
        labels.delete(OTHER);
        expect(labels.size).toBeLessThanOrEqual(10);
        for (const label of labels) {
          expect(label.length).toBeLessThanOrEqual(128);
          expect(label).not.toMatch(/\p{Cc}/u);
          expect(label.isWellFormed()).toBe(true);
        }
      }),
    );
  });
});

describe('a hostile name', () => {
  it('is cleaned, cut, and told apart by a hash', () => {
    expect(sanitiseLabel('emails')).toBe('emails');
    expect(sanitiseLabel('')).toBe('(empty)');
    expect(sanitiseLabel('a\nb')).toMatch(/^a\uFFFDb~[0-9a-f]{8}$/);
    expect(sanitiseLabel('a\u202Eb')).toMatch(/^a\uFFFDb~/);
    const [one, two] = [sanitiseLabel(`${'q'.repeat(300)}1`), sanitiseLabel(`${'q'.repeat(300)}2`)];
    expect(one).not.toBe(two);
    expect(one).toHaveLength(128);
  });
});
