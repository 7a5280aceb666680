import { describe, expect, it } from 'vitest';
import type { JobStatus } from '#libs/domain';
import { isIdleThere, judge, type DifferenceKind } from './judge.js';
import { statusWords, type TheirStatus } from './status-words.js';

const theirs = (status: TheirStatus, attempt: number | null = null) => ({ word: status, status, attempt });
const ours = (status: JobStatus, attempt = 1) => ({ status, attempt, sinceMs: 0 });

describe('what two say of one job', () => {
  const cases: readonly (readonly [TheirStatus, JobStatus | null, DifferenceKind | null])[] = [
    ['processing', null, 'unknown_here'],
    ['unknown', null, null],
    ['unknown', 'succeeded', null],
    ['unknown', 'processing', 'unknown_there'],
    ['unknown', 'failed', 'unknown_there'],
    ['processing', 'succeeded', 'theirs_behind'],
    ['queued', 'processing', 'theirs_behind'],
    ['queued', 'dead-lettered', 'theirs_behind'],
    ['succeeded', 'processing', 'theirs_ahead'],
    ['processing', 'queued', 'theirs_ahead'],
    ['failed', 'processing', 'theirs_ahead'],
    ['failed', 'succeeded', 'differs'],
    ['cancelled', 'succeeded', 'differs'],
    // Its next attempt may wait or run there already, or the failure has not been heard of: nobody can tell.
    ['processing', 'failed', 'differs'],
    ['queued', 'requeued', null],
    ['processing', 'restart-requested', null],
    ['failed', 'retrying', null],
    ['failed', 'dead-lettered', null],
    ['dead-lettered', 'retrying', 'theirs_ahead'],
    ['cancelled', 'discarded', null],
  ];
  it.each(cases)('they say %s, we say %s: %s', (they, we, kind) => {
    expect(judge(theirs(they), we === null ? null : ours(we))).toBe(kind);
  });

  it('attempts, where both tell them, say who is further', () => {
    expect(judge(theirs('processing', 1), ours('requeued', 2))).toBe('theirs_behind');
    expect(judge(theirs('queued', 2), ours('failed', 1))).toBe('theirs_ahead');
    expect(judge(theirs('processing', 2), ours('processing', 2))).toBeNull();
  });

  it('idle is what waits there, or is not there', () => {
    const idle = (['queued', 'retrying', 'unknown', 'processing', 'succeeded'] as const).filter((s) => isIdleThere(theirs(s)));
    expect(idle).toEqual(['queued', 'retrying', 'unknown']);
  });
});

describe('words of other systems', () => {
  const words = (map?: string, preset?: string) => {
    const parsed = statusWords(map, preset);
    return parsed.ok ? parsed.words : parsed.rule;
  };
  const said = (map: string | undefined, preset: string | undefined, word: string) => {
    const found = words(map, preset);
    return typeof found === 'string' ? found : found(word);
  };

  it('are mapped one by one, or by a preset; our own need no mapping', () => {
    expect(said('active:processing, done:succeeded', undefined, 'active')).toBe('processing');
    expect(said('a:b:processing', undefined, 'a:b')).toBe('processing');
    expect(said(undefined, 'bullmq', 'completed')).toBe('succeeded');
    expect(said(undefined, 'pg-boss', 'retry')).toBe('retrying');
    expect(said(undefined, 'bullmq', 'dead-lettered')).toBe('dead-lettered');
    expect(said(undefined, undefined, 'active')).toBeNull();
    expect(said(undefined, 'bullmq', 'constructor')).toBeNull();
  });

  it('are refused where they say nothing', () => {
    expect(words('active:processing', 'bullmq')).toBe('is given together with `preset`');
    expect(words(undefined, 'sidekiq')).toBe('is not known');
    expect(words('active')).toMatch(/no pair/u);
    expect(words('')).toMatch(/no pair/u);
    expect(words('active:running')).toMatch(/no status/u);
  });
});
