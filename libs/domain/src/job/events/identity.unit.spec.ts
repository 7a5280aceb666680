import { describe, expect, it } from 'vitest';
import { DECISION_KINDS, decisionEventId, type Decision } from './decisions.js';
import { decisionCode, eventTypeOf, factCode } from './event-codes.js';
import type { FactType } from './facts.js';
import { spreadOf } from '../plan/spread.js';
import { attemptOfToken, epochOfToken, MAX_TOKEN, nextEpoch, tokenOf } from './token.js';

const FACT_TYPES: readonly FactType[] = [
  'queued', 'claimed', 'started', 'released', 'lease-renewal-failed', 'succeeded', 'failed', 'cancelled',
];

describe('a fencing token', () => {
  it('holds epoch and attempt, and stays an exact number', () => {
    const token = tokenOf(60_000, 7);
    expect([epochOfToken(token), attemptOfToken(token)]).toEqual([60_000, 7]);
    expect(tokenOf(0, 1)).toBe(1);
    expect(tokenOf(2 ** 21 - 1, 2 ** 32 - 1)).toBe(MAX_TOKEN);
  });

  it('rises over a restore, even over two within the hour', () => {
    const nowMs = Date.UTC(2026, 0, 1);
    const first = nextEpoch(0, nowMs);
    expect(first).toBe((nowMs - Date.UTC(2020, 0, 1)) / 3_600_000);
    expect(nextEpoch(first, nowMs)).toBe(first + 1);
  });
});

describe('the log’s codes', () => {
  it('tell every type from every other, and from what a newer program wrote', () => {
    const facts = FACT_TYPES.map((type) => [factCode(type), { kind: 'fact', type }] as const);
    const decisions = DECISION_KINDS.map((type) => [decisionCode(type), { kind: 'decision', type }] as const);
    for (const [code, type] of [...facts, ...decisions]) expect(eventTypeOf(code)).toEqual(type);
    expect(new Set([...facts, ...decisions].map(([code]) => code)).size).toBe(FACT_TYPES.length + DECISION_KINDS.length);
    expect(eventTypeOf(99)).toBeUndefined();
  });
});

describe('the id of a decision', () => {
  it('is its number within the job, or that of the event it answers', () => {
    const decision: Decision = { n: 4, kind: 'cancelled', attempt: 1, reason: 'x', by: 'x', laneMs: 0 };
    expect(decisionEventId(decision)).toEqual({ source: 'jobwarden', id: 'decision/4' });
    const answers = { source: 'shop', id: 'c1' };
    expect(decisionEventId({ ...decision, answers })).toEqual(answers);
  });
});

describe('the spread of waits', () => {
  it('is the same for the same attempt, and fills the range over many', () => {
    expect(spreadOf('00ff', 1)).toBe(spreadOf('00ff', 1));
    const tenths = new Array<number>(10).fill(0);
    for (let i = 0; i < 10_000; i += 1) {
      const at = Math.floor(spreadOf(i.toString(16).padStart(32, '0'), 1) * 10);
      tenths[at] = (tenths[at] ?? 0) + 1;
    }
    expect(Math.min(...tenths)).toBeGreaterThan(850);
    expect(Math.max(...tenths)).toBeLessThan(1_150);
  });
});
