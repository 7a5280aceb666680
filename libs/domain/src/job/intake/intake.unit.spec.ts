import { describe, expect, it } from 'vitest';
import type { Fact } from '../events/facts.js';
import { cancelRequest, claimed, decided, failed, job, queued, started, succeeded } from '../events/events.fixture.js';
import type { JobEvent } from '../fold/fold.js';
import { tokenOf } from '../events/token.js';
import { draftsOf, takeIn, type IntakeContext } from './intake.js';

const AT_ACT = { stopsAllowed: true };

/** With the token of its attempt, unless the event brings another. */
function taken(history: readonly JobEvent[], { fact }: { readonly fact: Fact }, context: IntakeContext = AT_ACT) {
  const given = 'attempt' in fact && fact.type !== 'cancelled' ? { token: tokenOf(0, fact.attempt), ...fact } : fact;
  return takeIn(job(...history), given, context);
}

/** `accepted`, or what became of it; and the decisions that come with it. */
function outcome(history: readonly JobEvent[], event: { readonly fact: Fact }, context: IntakeContext = AT_ACT): string {
  const intake = taken(history, event, context);
  const drafts = draftsOf(intake).drafts.map((d) => `${d.kind} ${String(d.attempt)}`);
  return [intake.outcome, ...drafts].join(' + ');
}

const superseded = [queued(), claimed(1), decided(1, 'requeued', 2), claimed(2)];

describe('a late fact', () => {
  it('is refused when a newer grant was redeemed, and kept under its own source and id (B1)', () => {
    const late = taken(superseded, succeeded(1));
    expect(late).toMatchObject({ outcome: 'refused', refusal: 'superseded' });
    expect(draftsOf(late)).toMatchObject({
      fact: null,
      drafts: [{ kind: 'write-refused', attempt: 1, answers: { source: 'test', id: 'succeeded/1' } }],
    });
    expect(outcome(superseded, succeeded(2))).toBe('accepted');
  });

  it('is accepted while no newer grant at all has been redeemed', () => {
    const open = [queued(), claimed(1), decided(1, 'requeued', 2)];
    expect(outcome(open, succeeded(1))).toBe('accepted');
    // Redeemed is redeemed: a third grant that is open does not bring the first one back.
    const third = [...superseded, decided(2, 'requeued', 3)];
    expect(outcome(third, succeeded(1))).toBe('refused + write-refused 1');
    expect(outcome(third, succeeded(2))).toBe('accepted');
  });

  it('is accepted when its attempt was never redeemed through claims', () => {
    const observed = [queued(), started(1), decided(1, 'requeued', 2), claimed(2)];
    expect(outcome(observed, succeeded(1))).toBe('accepted');
  });

  it('is accepted whatever was decided meanwhile: late facts have one answer', () => {
    expect(outcome([queued(), started(), decided(1, 'dead-lettered')], failed())).toBe('accepted');
    expect(outcome([queued(), started(), decided(1, 'cancelled')], succeeded())).toBe('accepted');
  });
});

describe('the token of a write', () => {
  const without = { token: undefined };

  it('is required of an attempt that was claimed, and the write without one is kept (B6)', () => {
    const history = [queued(), claimed(1)];
    const bare = taken(history, succeeded(1, without as object));
    expect(bare).toMatchObject({ outcome: 'refused', refusal: 'token_required' });
    expect(draftsOf(bare).drafts).toMatchObject([{ kind: 'write-refused', answers: { id: 'succeeded/1' } }]);
    expect(outcome(history, succeeded(1))).toBe('accepted');
  });

  it('is data where nobody has claimed the attempt and none is required', () => {
    for (const token of [undefined, 1, 99]) {
      expect(outcome([queued(), started()], succeeded(1, { token } as object))).toBe('accepted');
    }
  });

  it('is required of every attempt where the queue requires claims, of an unknown job too', () => {
    const required = { ...AT_ACT, tokensRequired: true };
    expect(taken([queued()], started(1, without as object), required)).toMatchObject({ refusal: 'token_required' });
    expect(outcome([queued()], started(1), required)).toBe('accepted');
    expect(outcome([], started(1), required)).toBe('accepted');
    expect(outcome([], started(1, { token: tokenOf(3, 1) }), { ...required, epoch: 3 })).toBe('accepted');
  });

  it('that nobody was given is unknown, and one of before is superseded, whatever attempt is named', () => {
    const second = [...superseded];
    const refusalOf = (token: number, attempt: number) => {
      const intake = taken(second, succeeded(attempt, { token }));
      return intake.outcome === 'refused' ? intake.refusal : intake.outcome;
    };
    expect(refusalOf(2, 2)).toBe('accepted');
    expect(refusalOf(1, 2)).toBe('superseded');
    expect(refusalOf(3, 2)).toBe('token_unknown');
    expect(refusalOf(0, 2)).toBe('token_unknown');
    expect(refusalOf(tokenOf(1, 2), 2)).toBe('token_unknown');
    expect(refusalOf(3, 3)).toBe('accepted');
  });

  it('is of the epoch in which the grant was redeemed: that of before the restore is superseded', () => {
    const restored = [queued(), claimed(1, { epoch: 7 })];
    expect(taken(restored, succeeded(1))).toMatchObject({ refusal: 'superseded' });
    expect(outcome(restored, succeeded(1, { token: tokenOf(7, 1) }))).toBe('accepted');
  });

  it('of the time that a restore has lost counts until somebody redeems the attempt again', () => {
    const restored = { ...AT_ACT, tokensRequired: true, epoch: 3 };
    const known = queued({ epoch: 3 });
    for (const history of [[], [known], [queued()], [queued(), decided(1, 'requeued', 2, { token: tokenOf(3, 2) })]]) {
      expect(outcome(history, succeeded(1, { token: 1 }), restored)).toBe('accepted');
      expect(outcome(history, started(1, { token: 1 }), restored)).toBe('accepted');
      expect(outcome(history, succeeded(2, { token: 2 }), restored)).toBe('accepted');
    }
    // A failure would later be the next grant's.
    expect(taken([known], failed(2, { token: 2 }), restored)).toMatchObject({ refusal: 'token_unknown' });
    expect(taken([known], succeeded(1, { token: 2 }), restored)).toMatchObject({ refusal: 'token_unknown' });
    expect(taken([known], succeeded(1, { token: tokenOf(4, 1) }), restored)).toMatchObject({ refusal: 'token_unknown' });
    expect(taken([known, claimed(1, { epoch: 3 })], succeeded(1, { token: 1 }), restored)).toMatchObject({ refusal: 'superseded' });
    const second = [known, decided(1, 'requeued', 2, { token: tokenOf(3, 2) }), claimed(2, { epoch: 3 })];
    expect(taken(second, succeeded(1, { token: 1 }), restored)).toMatchObject({ outcome: 'accepted' });
  });

  it('is not asked of what people and producers say', () => {
    const required = { ...AT_ACT, tokensRequired: true };
    expect(outcome([claimed(1)], queued(), required)).toBe('accepted');
    expect(outcome([queued(), claimed(1)], cancelRequest(), required)).toBe('decided + cancelled 1');
  });
});

describe('a request to cancel', () => {
  it('becomes the decision, under its own source and id', () => {
    const request = cancelRequest({ by: 'anna', reason: 'wrong address' });
    expect(draftsOf(taken([queued(), started()], request)).drafts).toEqual([
      {
        kind: 'cancelled',
        attempt: 1,
        reason: 'wrong address',
        by: 'anna',
        answers: { source: 'test', id: 'cancel' },
      },
    ]);
  });

  it('on a finished job is kept as it came, an anomaly', () => {
    expect(outcome([queued(), succeeded()], cancelRequest())).toBe('accepted');
  });

  it('that names an attempt is void once a newer one is granted, on a finished job too', () => {
    const requeued = [queued(), failed(), decided(1, 'requeued', 2)];
    expect(outcome(requeued, cancelRequest({ attempt: 2 }))).toBe('decided + cancelled 2');
    expect(taken(requeued, cancelRequest({ attempt: 1 }))).toMatchObject({ outcome: 'refused', refusal: 'void' });
    expect(outcome([...requeued, succeeded(2)], cancelRequest({ attempt: 1 }))).toBe('refused + write-refused 1');
  });
});

describe('a start that nobody told to stop', () => {
  const cancelled = [queued(), started(), decided(1, 'cancelled'), decided(2, 'stop-requested', 1)];

  it('gets a stop of its own when it is recorded after the end', () => {
    expect(outcome(cancelled, started(1, { id: 'late', worker: { id: 'copy' } }))).toBe('accepted + stop-requested 1');
    expect(outcome([queued(), succeeded()], started())).toBe('accepted + stop-requested 1');
  });

  it('gets one after its attempt’s stop, also when the job lives again', () => {
    const redriven = [...cancelled, decided(3, 'redriven'), decided(4, 'requeued', 2)];
    expect(outcome(redriven, started(1, { id: 'late', worker: { id: 'copy' } }))).toBe('accepted + stop-requested 1');
    expect(outcome(redriven, started(2))).toBe('accepted');
  });

  it('gets none below act, where nothing leaves', () => {
    expect(outcome([queued(), succeeded()], started(), { stopsAllowed: false })).toBe('accepted');
  });
});
