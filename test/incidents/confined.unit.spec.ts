import { describe, expect, it } from 'vitest';
import { windowOf } from '#libs/application';
import { assess, type Assessment, type BadAttempt, type CauseWindow } from '#libs/domain';
import { CONFINED } from './confined-plays.js';
import { MINUTE, play, T0 } from './play.js';
import { PLAYS } from './plays.js';

/** Five minutes from before it went wrong on, as the controller looks. */
const LATELY = { fromMs: T0 + 12 * MINUTE, toMs: T0 + 17 * MINUTE };
const windowIn = (name: keyof typeof CONFINED): CauseWindow => windowOf(play(CONFINED[name]), LATELY);
const found = (name: keyof typeof CONFINED): Assessment => assess(windowIn(name));
const says = ({ evidence }: Assessment): string => evidence.map((e) => e.says).join('\n');

describe('what ails the workers of one release alone', () => {
  it.each(['leakyCanary', 'dyingCanary', 'slowCanary', 'ownPool'] as const)('is that release’s fault: %s', (name) => {
    expect(found(name)).toMatchObject({ cause: 'bad_revision', subject: 'v2' });
  });

  it('names whose heaps and pools fill up, and whose workers die', () => {
    expect(says(found('dyingCanary'))).toContain('Workers of revision v2 fall silent with their jobs again and again');
    expect(says(found('leakyCanary'))).toContain('The heaps of revision v2’s workers fill up');
    expect(says(found('ownPool'))).toContain('Callers wait for connections of the pools of revision v2’s workers');
  });

  it('asks a person where nobody was beside it', () => {
    expect(found('ownPool').action).toBe('escalate');
  });
});

describe('what ails the workers of all releases', () => {
  it.each([
    ['leakEverywhere', 'memory'],
    ['everybodysPool', 'connection_exhaustion'],
  ] as const)('is none’s fault: %s', (name, cause) => {
    expect(found(name)).toMatchObject({ cause, action: 'throttle' });
    expect(says(found(name))).not.toContain('bad_revision');
  });

  it('is none’s fault where a node went away with all of one release', () => {
    const assessment = found('nodeOfCanary');
    expect(assessment.action).not.toBe('rollback');
    expect(says(assessment)).not.toContain('again and again');
  });

  it('is none’s fault either where it began as one took over from the other', () => {
    expect(found('takenOverInTrouble')).toMatchObject({ cause: 'lock_contention', action: 'throttle' });
  });
});

describe('errors that are not told', () => {
  it('leave what the heaps tell', () => {
    const window = windowIn('retriedExhaustion');
    expect(window.attempts.filter((a) => a.class === 'RangeError').length).toBeLessThan(5);
    expect(assess(window)).toMatchObject({ cause: 'memory' });
  });

  it('are not all like the only one that is', () => {
    const window = windowOf(play({ ...PLAYS.overload, seed: 3 }), LATELY);
    const [one] = window.attempts;
    if (one === undefined) throw new Error('nothing failed');
    const told: BadAttempt = { ...one, end: 'failed', class: 'FetchError', code: 'ECONNRESET', message: 'socket hang up' };
    expect(assess({ ...window, attempts: [told] }).cause).not.toBe('downstream_outage');
  });

  it('may carry their code in the message alone', () => {
    expect(found('refusedWithoutCode')).toMatchObject({ cause: 'downstream_outage', action: 'throttle' });
  });
});

describe('a job that was given up because its workers died', () => {
  const window = windowOf(play(PLAYS.nothing), LATELY);
  const lost = (attempt: number, poisonPill?: true): BadAttempt => ({
    ...{ queue: 'default/mail', job: 'j9', kind: 'welcome', attempt, end: 'lost', endedMs: LATELY.toMs - 60_000 * attempt, runMs: 30_000 },
    ...{ worker: `w${String(attempt)}`, revision: 'v1', class: null, message: null, code: null, responseStatus: null },
    ...(poisonPill === true && { poisonPill }),
  });
  const counts = { queued: 0, started: 2, succeeded: 0, failed: 0, lost: 2, deadLettered: 1, writeRefused: 0, contradicted: 0 };
  const cells = [...window.cells, { queue: 'default/mail', slotMs: LATELY.toMs - 60_000, kind: 'welcome', revision: 'v1', track: '', counts }];

  it('is proof enough after two of them', () => {
    const assessed = assess({ ...window, cells, attempts: [lost(1, true), lost(2, true)] });
    expect(assessed).toMatchObject({ cause: 'poison_job', subject: 'default/mail/j9', action: 'dead-letter' });
  });

  it('is none where it was tried again only', () => {
    expect(assess({ ...window, cells, attempts: [lost(1), lost(2)] }).cause).toBe('unknown');
  });
});
