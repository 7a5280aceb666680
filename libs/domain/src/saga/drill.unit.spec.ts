import { describe, expect, it } from 'vitest';
import type { IncidentStep } from '../incident/incident.js';
import { looksFor } from './looks-for.js';
import { nextMove } from './next-move.js';
import { phaseOf } from './phase-of.js';
import { ABOUT, POLICY } from './run.fixture.js';
import { sagaOf } from './saga-of.js';
import type { SagaSeen } from './seen.js';
import type { SagaStanding } from './standing.js';

/** Everything calls for a rollback: the signal stands, the levels are at act, and a revision is to blame. */
const SEEN: SagaSeen = {
  actionsOn: true,
  assessed: { assessment: { cause: 'bad_revision', subject: 'v2', confidence: 1, selfSustained: true, action: 'rollback', evidence: [] }, firstSeenMs: 0 },
  signalStands: true,
  ...{ target: null, quarantine: null, evidence: null, intake: null, sample: null },
  tries: { count: 0, lastMs: null, writes: 0, oldestWriteMs: null },
};

function standing(...types: readonly IncidentStep['type'][]): SagaStanding {
  const opened: IncidentStep = { n: 1, type: 'opened', atMs: 0, by: 'jobwarden', reason: 'DRILL', evidence: { ...ABOUT, drill: true } };
  const s = sagaOf([opened, ...types.map((type, i): IncidentStep => ({ n: i + 2, type, atMs: 10, by: 'ada', reason: type }))]);
  if (s === null) throw new Error('no run');
  return s;
}

describe('a drill', () => {
  it('only tells that it would, whatever was found and whatever the policy lets it do, also while actions are off', () => {
    for (const actionsOn of [true, false]) {
      expect(nextMove(standing(), { ...SEEN, actionsOn }, POLICY, 20)).toMatchObject({ kind: 'record', step: { type: 'would-have', reason: expect.stringMatching(/^DRILL: /u) as string } });
      expect(nextMove(standing('would-have'), { ...SEEN, actionsOn }, POLICY, 20)).toMatchObject({ kind: 'wait' });
      expect(nextMove(standing('would-have', 'approved'), { ...SEEN, actionsOn }, POLICY, 20)).toMatchObject({ kind: 'wait' });
    }
    expect(looksFor(standing())).toMatchObject({ cause: false, signal: true, target: false });
    expect(phaseOf(standing('would-have'))).toEqual({ phase: 'waiting-for-calm', waitsFor: 'the end of the drill', untilMs: 600_000 });
  });

  it('is over with its alert, by a person, or by itself after ten minutes', () => {
    const over = { kind: 'record', step: { type: 'resolved', reason: expect.stringMatching(/^DRILL: /u) as string } };
    expect(nextMove(standing('would-have'), { ...SEEN, signalStands: false }, POLICY, 20)).toMatchObject(over);
    expect(nextMove(standing('would-have', 'aborted'), SEEN, POLICY, 20)).toMatchObject(over);
    expect(nextMove(standing('would-have'), SEEN, POLICY, 599_999)).toMatchObject({ kind: 'wait' });
    expect(nextMove(standing('would-have'), SEEN, POLICY, 600_000)).toMatchObject(over);
    expect(nextMove(standing('would-have', 'resolved'), SEEN, POLICY, 700_000)).toEqual({ kind: 'rest' });
  });
});
