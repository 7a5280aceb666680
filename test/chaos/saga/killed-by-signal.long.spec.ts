import { describe, expect, it } from 'vitest';
import { useKilledRun } from './killed-run.fixture.js';
import { BY_SIGNAL } from './killed.js';

// What a kill does to each way that a run can go is told by test/int/saga/killed.int.spec.ts, in one process; here it is the shipped one, from the alert on.
describe('the shipped process, killed with -9 behind every step of a run that an alert has begun', () => {
  const run = useKilledRun(BY_SIGNAL);

  it('asks once, is approved once, and ends with the good release and the replicas of before', () => {
    expect(run().types.filter((type) => type !== 'noted')).toEqual([
      ...['opened', 'cause-assessed', 'approval-requested', 'approved', 'intake-throttled', 'evidence-captured', 'isolated', 'rollback-begun', 'rolled-back'],
      ...['replicas-restored', 'verified', 'readmitting', 'readmitting', 'resolved'],
    ]);
    expect(run().status).toBe('resolved');
    // One write: the release and its replicas.
    expect(run().pool).toMatchObject({ release: 'release-v1', replicas: 5, generation: 2 });
    expect(run().gate).toBe('open');
    expect(run().mostTries).toBeLessThanOrEqual(2);
  });

  it('was killed behind each of its steps', () => {
    const behind = new Set(run().kills.filter((kill) => kill.startsWith('step')).map((kill) => kill.split(' ')[1]));
    // Its first step is made before there is a run that is driven, its last ends it, and one is a person's.
    const all = run().types.flatMap((type, i) => (i === 0 || i === run().types.length - 1 || type === 'approved' ? [] : [String(i + 1)]));
    expect(all.filter((n) => !behind.has(n))).toEqual([]);
    expect(run().kills.some((kill) => kill.startsWith('act') && kill.includes('given the release of v1'))).toBe(true);
  });
});
