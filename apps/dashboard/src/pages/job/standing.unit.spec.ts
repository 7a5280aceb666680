import { describe, expect, it } from 'vitest';
import { callsOf } from './calls';
import { at, attemptView, jobDetail, T0 } from './job.fixture';
import type { JobDetail, Levels, Verdict } from './job-queries';
import { sentencesOf } from './standing';
import { whatOf, verdictState } from '../../kit/verdict-words';

const LEVELS = { retry: 'act', requeue: 'observe', deadLetter: 'act', throttle: 'observe', rollback: 'observe' } satisfies Levels;
const said = (changes: Partial<JobDetail>, nowMs = 1_000, verdict: Verdict | null = null) => sentencesOf(jobDetail(changes), { levels: LEVELS, verdict, nowMs: T0 + nowMs });
const RUNNING = { waitsFor: 'lease', lookAt: at(500), attempts: [attemptView(1, { startedAt: at(0), lastBeatAt: at(900), leaseEndsAt: at(31_000) })] };

const VERDICT = { verdictId: '1', namespace: 'default', queue: 'q', id: 'j', attempt: 1, verdict: 'lost', reason: 'lost', threshold: { source: 'queue', ms: 30_000 }, action: 'requeue', level: 'observe', at: at(0), grade: 'open', state: 'shown', evidence: { kind: 'would-have', times: 1, lastAt: at(0), decision: 'restart-requested' } } satisfies Verdict;

describe('where a job stands, in sentences', () => {
  it('goes by the end of the lease that heartbeats have moved on, and says what the level allows', () => {
    expect(said(RUNNING)).toEqual([
      'Attempt 1 runs on w1.',
      'Its worker has to be heard of by 14:00:31 UTC (in 30 sec.): then its lease ends, and it is taken for lost.',
      'Its queue only observes (requeue): Jobwarden will say what it would do, and do nothing.',
    ]);
  });

  it('says first that a worker has fallen silent, and leaves the rest to what Jobwarden has said of it', () => {
    expect(said(RUNNING, 40_000, VERDICT)).toEqual(['Attempt 1 has fallen silent: nothing was heard of w1 since 14:00:00 UTC (39 sec. ago), and its lease has ended.']);
  });

  it('says what holds it back, known or not', () => {
    expect(said({ ...RUNNING, heldBy: 'lane:kafka:a/3' })[1]).toContain('the lane kafka:a/3 has not been read far enough');
    expect(said({ ...RUNNING, heldBy: 'paused' })[1]).toContain('its queue is paused');
    expect(said({ ...RUNNING, heldBy: 'other' })[1]).toBe('Held back: other.');
  });

  it('says of what is over that it is, and of what cannot go on why', () => {
    expect(said({ status: 'dead-lettered' })).toHaveLength(1);
    expect(said({ status: 'incomplete', erased: { at: at(0), by: 'ada', reason: 'gdpr' } }).at(-1)).toContain('its payload was erased');
    expect(said({ status: 'succeeded', byHand: true })).toEqual(['Somebody has declared it done.']);
  });
});

describe('what Jobwarden said of it', () => {
  it('is what it would do, and by which limit', () => {
    expect(whatOf(VERDICT)).toBe('Jobwarden would ask its worker to stop, to run it again, as it is lost (longer than the limit of its queue, 30 s)');
    expect(whatOf({ ...VERDICT, evidence: { kind: 'act', times: 1, lastAt: at(0), decision: 'requeued' } })).toMatch(/^put back, as it is lost/);
    expect(whatOf({ ...VERDICT, evidence: { kind: 'would-have', times: 1, lastAt: at(0), decision: 'toString' } })).toContain('decided toString');
  });

  it('has become something, with the reason why not', () => {
    expect(verdictState({ ...VERDICT, state: 'refused', refusal: 'moved_on' })).toBe('not done: it was not true any more (the job has moved on)');
  });
});

it('offers what the service would do where the job stands', () => {
  expect(callsOf({ status: 'processing' })[0]).toBe('restart');
  expect(callsOf({ status: 'dead-lettered' })).toEqual(['redrive', 'resolve', 'discard', 'erase']);
  expect(callsOf({ status: 'succeeded' })).toEqual(['erase']);
  expect(callsOf({ status: 'restart-requested' })).not.toContain('restart');
  const erased = { at: at(0), by: 'ada', reason: 'gdpr' };
  expect(callsOf({ status: 'dead-lettered', erased })).toEqual(['resolve', 'discard', 'erase']);
  expect(callsOf({ status: 'queued', erased })).not.toContain('restart');
});
