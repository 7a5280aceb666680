import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { histories } from '../events/histories.fixture.js';
import { CODECS } from './codecs.js';
import { foldJob } from './fold.js';
import { NEWEST_FOLD_VERSION, OLDEST_FOLD_VERSION, knowsFoldVersion, stateFromJson, storedText } from './state-json.js';

describe('fold versions', () => {
  it('follow one another without a gap', () => {
    expect(CODECS.map((c) => c.version)).toEqual(CODECS.map((_, i) => OLDEST_FOLD_VERSION + i));
    expect([OLDEST_FOLD_VERSION - 1, OLDEST_FOLD_VERSION, NEWEST_FOLD_VERSION, NEWEST_FOLD_VERSION + 1].map(knowsFoldVersion)).toEqual(
      [false, true, true, false],
    );
  });

  it.each(CODECS)('$version: a text says by itself how it is read, and where SQL finds the epoch', ({ version }) => {
    fc.assert(
      fc.property(histories, (events) => {
        const state = foldJob(events);
        const text = storedText(state, version);
        expect(text.startsWith(`{"v":${String(version)}`)).toBe(version > 1);
        expect(storedText(stateFromJson(text), version)).toBe(text);
        const { e = Number.MAX_SAFE_INTEGER } = JSON.parse(text) as { e?: number };
        expect(e).toBe(state.epoch);
      }),
      { seed: 20_26, numRuns: 200 },
    );
  });

  it('that this program does not know are told, and not misread', () => {
    const text = `{"v":${String(NEWEST_FOLD_VERSION + 1)},"f":1}`;
    expect(() => stateFromJson(text)).toThrow(`folded by version ${String(NEWEST_FOLD_VERSION + 1)}, this program knows`);
    expect(() => storedText(foldJob([]), NEWEST_FOLD_VERSION + 1)).toThrow('run the newer Jobwarden');
    expect(() => storedText(foldJob([]), OLDEST_FOLD_VERSION - 1)).toThrow('run the release before this one');
  });
});
