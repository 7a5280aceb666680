import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { claimed, decided, failed, failedForGood, queued, released, started, succeeded } from '../events/events.fixture.js';
import { tokenOf } from '../events/token.js';
import { evolve, type JobEvent } from '../fold/fold.js';
import { numbered } from '../intake/intake.js';
import { subjectOf, type Circumstances } from '../plan/subject.fixture.js';
import { viewOf } from '../view/view.js';
import { decideClaim, type Claimed, type ClaimCircumstances, type ClaimRequest } from './claim.js';

const me: ClaimRequest = { claimId: 'mine', worker: { id: 'me' } };
const AT: ClaimCircumstances = {
  ...{ laneMs: 1_000, readMs: 1_000, gate: 'open' },
  ...{ actionsEnabled: true, quarantined: false, revisionRefused: false },
};

interface Given extends Circumstances {
  readonly claim?: Partial<ClaimRequest>;
  readonly at?: Partial<ClaimCircumstances>;
}

function claim(history: readonly JobEvent[], { claim: own, at, ...circumstances }: Given = {}): Claimed {
  return decideClaim(subjectOf(history, circumstances), { ...me, ...own }, { ...AT, ...at });
}

/** In a line: what is granted, or why nothing is and until when. */
function gist(claimed: Claimed): string {
  if (claimed.kind === 'unread') return 'unread';
  if (claimed.kind === 'granted') {
    const { grant, attempt, token, fact } = claimed;
    const how = grant === null ? (fact === null ? 'again' : 'redeemed') : `made (${String(grant.evidence?.['because'])})`;
    return `${how} ${String(attempt)} with ${String(token)}`;
  }
  const until = claimed.untilMs === null ? '' : ` until ${String(claimed.untilMs)}`;
  return `${claimed.refusal}${until}${claimed.draft === null ? '' : ` + ${claimed.draft.kind}`}`;
}

const now = { laneMs: 10_000, readMs: 10_000 };

describe('a claim of an open grant', () => {
  it('redeems it, and answers its token and lease', () => {
    const granted = claim([queued()], { claim: { leaseMs: 500 } });
    expect(granted).toMatchObject({ kind: 'granted', attempt: 1, token: 1, leaseMs: 500, grant: null });
    expect(granted).toMatchObject({ fact: { type: 'claimed', id: 'claim/mine', claimId: 'mine', token: 1, leaseMs: 500 } });
    expect(claim([queued()])).toMatchObject({ leaseMs: 300 });
  });

  it('where heartbeats count for nothing answers no less than the run may take', () => {
    const none = { heartbeats: 'none' } as const;
    const learned = { ms: 7_000, from: 'queue', samples: 90, longer: 0, quantile: 0.99, quantileMs: 3_500, factor: 2 } as const;
    const learning = { policy: { ...none, stuckAfter: { mode: 'learned' } as const }, learned };
    expect(claim([queued()], { policy: none })).toMatchObject({ leaseMs: 10_000, fact: { leaseMs: 10_000 } });
    expect(claim([queued()], learning)).toMatchObject({ leaseMs: 7_000 });
    expect(claim([queued()], { ...learning, claim: { leaseMs: 9_000 } })).toMatchObject({ leaseMs: 9_000 });
    expect(claim([queued()], { ...learning, claim: { leaseMs: 500 } })).toMatchObject({ leaseMs: 7_000 });
    expect(claim([queued()], { policy: { ...none, stuckAfter: { mode: 'off' } } })).toMatchObject({ leaseMs: 300 });
  });

  it('of a job that was suspected wrongly answers a longer lease', () => {
    const wrongly = [
      decided(1, 'restart-requested', 1, { reason: 'lost', by: 'jobwarden' }),
      decided(2, 'restart-withdrawn', 1, { reason: 'heartbeat', by: 'jobwarden' }),
    ];
    expect(claim([queued(), failed(), ...wrongly, decided(3, 'requeued', 2)])).toMatchObject({ attempt: 2, leaseMs: 600 });
  });

  it('of an unknown job redeems the first one, of a requeued job the newest', () => {
    expect(gist(claim([]))).toBe('redeemed 1 with 1');
    expect(gist(claim([queued(), failed(), decided(1, 'requeued', 2)]))).toBe('redeemed 2 with 2');
  });

  it('under a higher epoch than opened it gets a token of that epoch', () => {
    expect(gist(claim([queued()], { epoch: 5 }))).toBe(`redeemed 1 with ${String(tokenOf(5, 1))}`);
    const grown = [queued(), decided(1, 'requeued', 2, { token: tokenOf(9, 2) })];
    expect(gist(claim(grown, { epoch: 5 }))).toBe(`redeemed 2 with ${String(tokenOf(9, 2))}`);
  });

  it('waits for the instant before which the job must not start', () => {
    expect(gist(claim([queued({ notBeforeMs: 1_500 })]))).toBe('held until 1500');
  });

  it('goes to the worker whose start was quicker than its claim, and to no other', () => {
    const begun = [queued(), started(1, { worker: me.worker })];
    expect(gist(claim(begun))).toBe('redeemed 1 with 1');
    expect(gist(claim(begun, { claim: { worker: { id: 'you' } }, lease: { beatMs: 900, leaseMs: 300 } }))).toBe('held until 1200');
  });

  it('is refused while the queue is paused or throttled, and by a revision that is out of service', () => {
    expect(gist(claim([queued()], { at: { gate: 'paused' } }))).toBe('paused');
    expect(gist(claim([queued()], { at: { gate: 'throttled' } }))).toBe('throttled');
    expect(gist(claim([queued()], { at: { revisionRefused: true } }))).toBe('revision_quarantined');
  });
});

describe('a claim that is repeated', () => {
  const mine = [queued(), claimed(1, { claimId: 'mine', worker: me.worker, leaseMs: 500 })];

  it('gets the same answer, and writes nothing', () => {
    expect(claim(mine)).toMatchObject({ attempt: 1, token: 1, leaseMs: 500, fact: null, grant: null });
    expect(gist(claim(mine, { at: { gate: 'paused', revisionRefused: true } }))).toBe('again 1 with 1');
  });

  it('by another worker is held, and after its attempt’s time superseded', () => {
    expect(gist(claim(mine, { claim: { worker: { id: 'you' } } }))).toBe('held');
    expect(gist(claim([...mine, failed()]))).toBe('superseded');
    expect(gist(claim([...mine, decided(1, 'requeued', 2)]))).toBe('superseded');
    expect(gist(claim([...mine, succeeded()]))).toBe('finished');
  });
});

describe('a claim that names a token', () => {
  const twice = [queued(), claimed(1), decided(1, 'requeued', 2)];

  it('redeems only the grant of that token', () => {
    expect(gist(claim(twice, { claim: { token: 2 } }))).toBe('redeemed 2 with 2');
    expect(gist(claim(twice, { claim: { token: 1 } }))).toBe('superseded');
    expect(gist(claim(twice, { claim: { token: 3 } }))).toBe('token_unknown');
    expect(gist(claim([], { claim: { token: tokenOf(4, 1) }, epoch: 4 }))).toBe(`redeemed 1 with ${String(tokenOf(4, 1))}`);
  });

  it('never makes a grant for one that somebody else has redeemed, however long ago', () => {
    const lost = [...twice, claimed(2, { leaseMs: 300 })];
    expect(gist(claim(lost, { claim: { token: 2 }, at: now }))).toBe('superseded');
    expect(gist(claim(lost, { at: now }))).toBe('made (lost) 3 with 3');
  });
});

describe('a claim where no grant is open', () => {
  const running = [queued(), claimed(1, { leaseMs: 300 })];

  it('is held while the lease lives, and on until the grace is over: nobody need have written that down', () => {
    expect(gist(claim(running, { at: { laneMs: 299, readMs: 299 } }))).toBe('held until 300');
    expect(gist(claim(running, { at: { laneMs: 449, readMs: 449 } }))).toBe('held until 450');
    expect(gist(claim(running, { at: { laneMs: 450, readMs: 450 } }))).toBe('made (lost) 2 with 2');
    expect(gist(claim(running, { lease: { beatMs: 400, leaseMs: 300 }, at: { laneMs: 849, readMs: 849 } }))).toBe('held until 850');
  });

  it('counts from the request to restart where there is one', () => {
    const asked = [...running, decided(1, 'restart-requested', 1, { reason: 'lost', laneMs: 600, seenMs: 0 })];
    expect(gist(claim(asked, { at: { laneMs: 749, readMs: 749 } }))).toBe('held until 750');
    expect(gist(claim(asked, { at: { laneMs: 750, readMs: 750 } }))).toBe('made (lost) 2 with 2');
    expect(gist(claim(asked, { lease: { beatMs: 700, leaseMs: 300 }, at: now }))).toBe('held');
  });

  it('is held until the lanes have been read so far, and asks for the reading first', () => {
    expect(gist(claim(running, { at: { laneMs: 10_000, readMs: null } }))).toBe('unread');
    expect(gist(claim(running, { at: { laneMs: 10_000, readMs: 299 } }))).toBe('held until 10000');
    expect(gist(claim(running, { at: { laneMs: 10_000, readMs: 449 } }))).toBe('held until 10000');
  });

  it('does not overtake a hung worker whose lease is alive, but one that has died since', () => {
    const policy = { hardTimeoutMs: 100 };
    expect(gist(claim(running, { policy, lease: { beatMs: 900, leaseMs: 300 } }))).toBe('held until 1200');
    expect(gist(claim(running, { policy, lease: { beatMs: 900, leaseMs: 300 }, at: now }))).toBe('made (lost) 2 with 2');
  });

  it('waits out the backoff of a failure, and goes on at once after a release', () => {
    const broken = [...running, failed(1, { laneMs: 100 })];
    expect(gist(claim(broken, { at: { laneMs: 1_099, readMs: 1_099 } }))).toBe('held until 1100');
    expect(gist(claim(broken, { at: { laneMs: 1_100, readMs: 1_100 } }))).toBe('made (backoff) 2 with 2');
    expect(gist(claim([...running, released(1, { laneMs: 200 })], { at: { laneMs: 200, readMs: 200 } }))).toBe(
      'made (released) 2 with 2',
    );
  });

  it('leaves nothing to the queue’s own recovery: it is that', () => {
    const policy = { owner: 'queue', ownerWaitMs: 60_000 } as const;
    const broken = [...running, failed(1, { laneMs: 100 })];
    expect(gist(claim(broken, { policy, at: { laneMs: 1_100, readMs: 1_100 } }))).toBe('made (backoff) 2 with 2');
  });

  it('ends the job where a reconciler would', () => {
    expect(gist(claim([...running, failedForGood()], { at: now }))).toBe('finished + dead-lettered');
    expect(gist(claim(running, { policy: { maxRetries: 0 }, at: now }))).toBe('finished + dead-lettered');
  });

  it('is held where nothing may be decided: by the stop switch, by quarantine, without anything to requeue with', () => {
    expect(gist(claim(running, { at: { ...now, actionsEnabled: false } }))).toBe('held');
    expect(gist(claim(running, { at: { ...now, quarantined: true } }))).toBe('held');
    expect(gist(claim([claimed(1, { leaseMs: 300 })], { at: now }))).toBe('held');
    expect(gist(claim(running, { at: { ...now, gate: 'paused' } }))).toBe('paused');
  });

  it('says why it was due, under a reason for which no command goes out', () => {
    expect(claim(running, { at: now })).toMatchObject({
      grant: { kind: 'requeued', reason: 'claim', evidence: { because: 'lost' }, previousWorker: { id: 'w1' } },
    });
  });

  it('on a finished job answers so, and writes nothing', () => {
    expect(claim([...running, succeeded()], { at: now })).toMatchObject({ refusal: 'finished', draft: null });
  });
});

describe('whoever claims, how often and when', () => {
  const claims = fc.array(
    fc.record({
      worker: fc.constantFrom('a', 'b', 'c'),
      claimId: fc.constantFrom('1', '2', '3', '4', '5', '6'),
      waitMs: fc.constantFrom(0, 1, 200, 2_000),
      epochs: fc.constantFrom(0, 0, 0, 1),
      end: fc.constantFrom('none', 'none', 'failed', 'released'),
    }),
    { maxLength: 24 },
  );

  it('tokens only rise, and each attempt is redeemed by one claim', () => {
    fc.assert(
      fc.property(claims, (steps) => {
        const events: JobEvent[] = [queued()];
        const redeemed = new Map<number, string>();
        let [nowMs, epoch, last] = [0, 0, 0];
        for (const { worker, claimId, waitMs, epochs, end } of steps) {
          nowMs += waitMs;
          epoch += epochs;
          const given = { epoch, claim: { claimId: `${worker}${claimId}`, worker: { id: worker } }, at: { laneMs: nowMs, readMs: nowMs } };
          const answer = claim(events, given);
          if (answer.kind !== 'granted' || answer.fact === null) continue;
          expect(redeemed.has(answer.attempt)).toBe(false);
          expect(answer.token).toBeGreaterThan(last);
          redeemed.set(answer.attempt, claimId);
          last = answer.token;
          if (answer.grant !== null) events.push(numbered(answer.grant, answer.attempt - 1, nowMs));
          events.push({ kind: 'fact', fact: answer.fact });
          if (end === 'failed') events.push(failed(answer.attempt, { laneMs: nowMs }));
          if (end === 'released') events.push(released(answer.attempt, { laneMs: nowMs }));
          const state = subjectOf(events).state;
          expect(viewOf(state).token).toBe(answer.token);
          for (const event of events) evolve(state, event);
          expect(viewOf(state).token).toBe(answer.token);
        }
      }),
      { seed: 20_26, numRuns: 400 },
    );
  });
});
