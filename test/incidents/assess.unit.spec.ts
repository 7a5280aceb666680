import { describe, expect, it } from 'vitest';
import { windowOf } from '#libs/application';
import { assess, healthyRevisions, type Assessment, type CauseWindow } from '#libs/domain';
import { LAST_TEN, play } from './play.js';
import { PLAYS } from './plays.js';

const windows = new Map<string, CauseWindow>();
const windowIn = (name: keyof typeof PLAYS): CauseWindow => {
  const window = windows.get(name) ?? windowOf(play(PLAYS[name]), LAST_TEN);
  windows.set(name, window);
  return window;
};
const found = (name: keyof typeof PLAYS): Assessment => assess(windowIn(name));
const says = ({ evidence }: Assessment): string => evidence.map((e) => e.says).join('\n');

describe('a bad revision', () => {
  it.each(['badRevision', 'badCanary', 'badForOneKind', 'badAndSilent'] as const)('is rolled back where it fails beside another that does well: %s', (name) => {
    expect(found(name)).toMatchObject({ cause: 'bad_revision', subject: 'v2', action: 'rollback', selfSustained: true });
    expect(healthyRevisions(windowIn(name)).map((r) => r.revision)).toEqual(['v1']);
  });

  it('is one also where nothing ran beside it, and what fails began with its first jobs', () => {
    expect(found('badRevisionNoOverlap')).toMatchObject({ cause: 'bad_revision', subject: 'v2' });
  });

  it('is to blame for an error that only it meets, whatever that error points at', () => {
    const assessment = found('badHost');
    expect(assessment).toMatchObject({ cause: 'bad_revision', subject: 'v2', action: 'rollback' });
    expect(says(assessment)).toContain('downstream_outage');
  });

  it('is not excused by more arrivals than usual in a queue that is too new to have a usual', () => {
    const window = windowIn('badCanary');
    const [cell] = window.cells;
    if (cell === undefined) throw new Error('an empty window');
    const baseline = (lengthMs: number): CauseWindow => {
      const before = { ...cell, revision: 'v1', slotMs: window.fromMs - lengthMs, counts: { ...cell.counts, queued: 5, started: 5, succeeded: 5, failed: 0, lost: 0 } };
      return { ...window, baselineFromMs: before.slotMs, cells: [before, ...window.cells.filter((c) => c.slotMs >= window.fromMs)] };
    };
    expect(assess(baseline(60_000))).toMatchObject({ cause: 'bad_revision', subject: 'v2', action: 'rollback' });
    expect(assess(baseline(600_000))).toMatchObject({ cause: 'bad_revision', subject: 'v2', action: 'escalate' });
  });

  it('is nothing that few jobs can prove', () => {
    expect(found('quiet')).toMatchObject({ cause: 'unknown', action: 'escalate' });
  });
});

describe('a poison job', () => {
  it.each(['poisonJob', 'poisonAfterDeploy'] as const)('is told by how few jobs account for what goes wrong: %s', (name) => {
    expect(found(name)).toMatchObject({ cause: 'poison_job', action: 'dead-letter' });
    expect(found(name).subject).toMatch(name === 'poisonJob' ? /^default\/mail\/j80[01]$/ : /^default\/mail\/j27[45]$/);
  });
});

describe('other causes', () => {
  it.each([
    ['lockContention', 'lock_contention', 'accounts:7'],
    ['connectionExhaustion', 'connection_exhaustion', '53300'],
    ['downstreamOutage', 'downstream_outage', 'api.example.com'],
    ['race', 'race', 'StaleTokenError'],
  ] as const)('are told by the codes, whoever runs which job: %s', (name, cause, subject) => {
    expect(found(name)).toMatchObject({ cause, subject, action: 'throttle', selfSustained: true });
  });

  it('name the two that wait for each other', () => {
    const told = found('lockContention').evidence.find((e) => 'pair' in e.figures);
    expect(told?.figures['pair']).toMatch(/w\d and v1-w\d|waits for/);
  });

  it('are told by the outage where a release rolls out in the middle of it', () => {
    expect(found('deployInOutage')).toMatchObject({ cause: 'downstream_outage', subject: '503', action: 'throttle' });
  });

  it('are told by heaps near their limit before workers fall silent', () => {
    expect(found('leak')).toMatchObject({ cause: 'memory', action: 'throttle' });
  });

  it('are told by what arrives: an overload does not sustain itself', () => {
    expect(found('overload')).toMatchObject({ cause: 'overload', subject: null, selfSustained: false, action: 'throttle' });
  });

  it('stay unknown where nothing points at anything', () => {
    expect(found('nobodyKnows')).toMatchObject({ cause: 'unknown', subject: null, action: 'escalate', selfSustained: true });
    expect(found('nothing')).toMatchObject({ cause: 'unknown', action: 'escalate', selfSustained: false });
  });
});
