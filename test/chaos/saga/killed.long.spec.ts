import { describe, expect, it } from 'vitest';
import { useKilledRun } from './killed-run.fixture.js';
import { BY_HAND } from './killed.js';

/** What can be announced and done: each of them has to be interrupted. */
const ACTS = ['v2 is about to be refused', 'scaled from 5 to 0', 'given the release of v1'];

describe('the shipped process, killed with -9 behind every step of a run and every act', () => {
  const run = useKilledRun(BY_HAND);

  it('ends as it would have: over, with the good release and the replicas of before', () => {
    expect(run().status).toBe('resolved');
    expect(run().pool).toMatchObject({ release: 'release-v1', replicas: 5 });
    expect(run().types.filter((type) => type !== 'noted')).toEqual([
      ...['opened', 'cause-assessed', 'intake-throttled', 'evidence-captured', 'isolated', 'rollback-begun', 'rolled-back', 'replicas-restored'],
      ...['verified', 'readmitting', 'resolved'],
    ]);
    expect(run().gate).toBe('open');
  });

  it('was killed behind each of its steps and between each of its acts and what tells of it', () => {
    const behind = new Set(run().kills.filter((kill) => kill.startsWith('step')).map((kill) => kill.split(' ')[1]));
    // Its last step ends it, and the first was a person's.
    const all = run().types.slice(1, -1).map((_, i) => String(i + 2));
    expect(all.filter((n) => !behind.has(n))).toEqual([]);
    for (const act of ACTS) expect(run().kills.some((kill) => kill.startsWith('act') && kill.includes(act)), act).toBe(true);
  });

  it('has tried nothing more than twice, and written no more than it had to', () => {
    // But for the refusal, which is repeated while a dead process still counts as one that might not know of it.
    expect(run().mostTries).toBeLessThanOrEqual(2);
    // To zero, and to the release with its replicas: what was written already is not written again.
    expect(run().pool.generation).toBe(3);
  });
});
