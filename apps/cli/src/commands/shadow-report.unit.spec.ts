import { describe, expect, it } from 'vitest';
import type { ShadowReport } from '#libs/contracts';
import { shadowLines } from './shadow-report.js';

const window = { since: '2026-01-01T00:00:00.000Z', until: '2026-01-02T00:00:00.000Z', rule: 'as written' };
const row: ShadowReport['rows'][number] = {
  ...{ namespace: 'default', queue: 'emails', action: 'requeue', level: 'approve' },
  ...{ verdicts: 74, confirmed: 72, wrong: 1, open: 1, precision: 72 / 73, lowerBound: 0.92649 },
  would: { requeues: 74, retries: 0, deadLetters: 0 },
  done: { requeues: 0, deadLetters: 0 },
  thresholds: [{ verdict: 'lost', source: 'kind', leastMs: 30_000, mostMs: 60_000, verdicts: 74 }],
  wrongOnes: [
    {
      ...{ verdictId: '7', id: 'j\u001b[2J', attempt: 1, kind: 'would-have', reason: 'lost', threshold: null },
      ...{ at: window.since, gradedAt: window.until, link: '/v1/jobs/one?id=j' },
    },
  ],
  ...{ next: 'act', suggested: false, code: 'bound_too_low', detail: 'approve → act wants more' },
};

describe('the shadow report in a terminal', () => {
  it('is a table, the reason of each row, and what was wrong, whatever its name does to a terminal', () => {
    const text = shadowLines({ ...window, rows: [row] }, 'http://x:1').join('\n');
    expect(text).toMatch(/^emails +requeue +approve +74 +72 +1 +1 +0\.986 +0\.926 +-$/m);
    expect(text).toContain('approve → act wants more');
    expect(text).toContain('lost after 30s to 60s (kind, 74)');
    expect(text).toContain('j\\u{1b}[2J attempt 1');
    expect(text).toContain('  http://x:1/v1/jobs/one?id=j');
    expect(text).toContain('Rule for the next level: as written');
  });

  it('names the next level where it is suggested, and says when there is nothing', () => {
    expect(shadowLines({ ...window, rows: [{ ...row, suggested: true }] }, 'http://x:1').join('\n')).toMatch(/0\.926 +act$/m);
    expect(shadowLines({ ...window, rows: [] }, 'http://x:1')).toEqual([`Verdicts from ${window.since} to ${window.until}: none.`]);
  });
});
