import { describe, expect, it } from 'vitest';
import { INVARIANTS, INVARIANT_KEYS, notExercised } from './invariants.js';
import { optionsOf } from './options.js';
import { scenariosOf } from './scenario.js';
import { Search } from './search.js';
import { VARIANTS } from './variants.js';

/** The smallest bound; CI goes one further with `npm run explore`. */
const scenarios = scenariosOf(1);

describe('the real code around one job', () => {
  it('holds every invariant in every state, and each of them is put to the test', () => {
    const exercised = notExercised();
    for (const scenario of scenarios) {
      const { violations, whole, exercised: own } = new Search(scenario).run();
      expect(violations).toEqual([]);
      expect(whole).toBe(true);
      for (const key of INVARIANT_KEYS) exercised[key] += own[key];
    }
    expect(INVARIANT_KEYS.filter((key) => exercised[key] === 0)).toEqual([]);
  }, 120_000);
});

describe('a broken variant', () => {
  it.each(VARIANTS)('is found out: $what', ({ scenario, rules, breaks }) => {
    const { violations } = new Search(scenario, { rules, until: breaks }).run();
    const trace = violations.find((v) => v.invariant === breaks)?.trace ?? [];
    expect(trace.length).toBeGreaterThan(0);
  }, 60_000);

  it('exists for every invariant: none of them is an empty promise', () => {
    const broken = new Set(VARIANTS.map((v) => v.breaks));
    expect(INVARIANT_KEYS.filter((key) => !broken.has(key))).toEqual([]);
    expect(Object.keys(INVARIANTS)).toHaveLength(INVARIANT_KEYS.length);
  });

  it('shows the shortest way to what it breaks, in words', () => {
    const { scenario, rules, breaks } = VARIANTS.find((v) => v.name === 'no-unique-ids')!;
    const { violations } = new Search(scenario, { rules, until: breaks }).run();
    expect(violations[0]?.trace).toEqual([
      'queued is received, and will be sent again  [queued, attempt 1]',
      'queued (a repeat) is received  [queued, attempt 1]',
    ]);
  });
});

describe('the command line', () => {
  it('takes a bound, a variant, or all of them', () => {
    expect(optionsOf([])).toMatchObject({ bound: 2, real: true, words: false });
    expect(optionsOf(['--bound', '3', '--all'])).toMatchObject({ bound: 3, real: true, words: true });
    expect(optionsOf(['--variant', 'no-watermark'])).toMatchObject({ real: false, words: true, variants: [{ name: 'no-watermark' }] });
  });

  it.each([['--bound', '0'], ['--bound', 'far'], ['--variant', 'none'], ['--deep']])('explains itself to %s %s', (...args: string[]) => {
    expect(optionsOf(args)).toContain('usage: npm run explore');
  });
});
