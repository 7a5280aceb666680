import { describe, expect, it } from 'vitest';
import { Stage, TARGET } from './stage.js';

describe('a run whose process is killed', () => {
  const KILLED = new Error('killed');

  it('at any step, or behind any act, ends the same, with the replicas of before', async () => {
    const ends = new Set<string>();
    let kills = 0;
    const stage = await Stage.open({ rollback: { target: TARGET, scaleToZero: true, approval: false, coolDownMs: 0, writesPerMinute: 6, watchMs: 60_000, onAbort: 'lift' } });
    try {
      await stage.saturate('mails');
      let spared = 0;
      // Dies behind each step and each act once, as a new process would be by the next one.
      const failpoint = () => {
        spared += 1;
        if (spared % 2 === 0) return;
        kills += 1;
        throw KILLED;
      };
      for (let i = 0; i < 600 && ends.size === 0; i += 1) {
        try {
          while (await stage.controller({ failpoint }).step());
        } catch (error) {
          if (!(error instanceof Error) || error.cause !== KILLED) throw error;
        }
        const last = (await stage.steps()).at(-1);
        if (last?.type === 'resolved' || last?.type === 'escalated') ends.add(last.type);
        await stage.pass(1_000);
      }
      expect([...ends]).toEqual(['resolved']);
      expect(await stage.pool()).toEqual({ revision: 'v1', wanted: 3, available: 3 });
      expect(kills).toBeGreaterThan(15);
      expect(stage.applied).toBeLessThanOrEqual(4);
      expect(await stage.gate('mails')).toBe('open');
    } finally {
      await stage.close();
    }
  });
});
