import { describe, expect, it } from 'vitest';
import {
  foldJob,
  numbered,
  tokenOf,
  viewOf,
  type DecisionDraft,
  type Fact,
  type JobEvent,
  type JobStatus,
} from '#libs/domain';
import { operatorDrafts, patchDrafts, type Standing } from './operator-drafts.js';
import { OPERATOR_ACTIONS, type OperatorAction, type OperatorRequest } from './operator-request.js';

const request: OperatorRequest = { reason: 'the disk was full', by: 'ann' };

const queued = fact({ type: 'queued', source: 's', id: 'q', laneMs: 1 });
const started = fact({ type: 'started', source: 's', id: 's1', laneMs: 2, attempt: 1, worker: { id: 'w1' } });
const failed = fact({
  type: 'failed',
  source: 's',
  id: 'f1',
  laneMs: 3,
  attempt: 1,
  error: { class: 'E', message: 'no' },
  retryable: true,
});
const succeeded = fact({ type: 'succeeded', source: 's', id: 'ok', laneMs: 4, attempt: 1 });

function fact(of: Fact): JobEvent {
  return { kind: 'fact', fact: of };
}

function decision(n: number, kind: DecisionDraft['kind'], more: Partial<DecisionDraft> = {}): JobEvent {
  return numbered({ kind, attempt: 1, reason: 'failed', by: 'jobwarden', ...more }, n, 10 + n);
}

const grant2 = decision(2, 'requeued', { attempt: 2, token: tokenOf(0, 2) });

const HISTORIES: Record<string, { readonly status: JobStatus; readonly events: readonly JobEvent[] }> = {
  queued: { status: 'queued', events: [queued] },
  processing: { status: 'processing', events: [queued, started] },
  'restart-requested': {
    status: 'restart-requested',
    events: [queued, started, decision(1, 'restart-requested', { reason: 'lost' })],
  },
  failed: { status: 'failed', events: [queued, started, failed] },
  retrying: { status: 'retrying', events: [queued, started, failed, decision(1, 'retry-scheduled')] },
  requeued: { status: 'requeued', events: [queued, started, failed, decision(1, 'retry-scheduled'), grant2] },
  incomplete: { status: 'incomplete', events: [started, decision(1, 'held-incomplete', { reason: 'lost' })] },
  succeeded: { status: 'succeeded', events: [queued, started, succeeded] },
  'resolved by hand': { status: 'succeeded', events: [queued, started, decision(1, 'resolved-by-hand')] },
  'dead-lettered': { status: 'dead-lettered', events: [queued, started, failed, decision(1, 'dead-lettered')] },
  cancelled: { status: 'cancelled', events: [queued, started, decision(1, 'cancelled')] },
  'cancelled, succeeded later': { status: 'cancelled', events: [queued, started, decision(1, 'cancelled'), succeeded] },
  discarded: { status: 'discarded', events: [queued, started, failed, decision(1, 'discarded')] },
};

/** Written by hand from CONTRACT.md, "Operator calls apply". What is not named is a conflict. */
const APPLIES: Record<OperatorAction, readonly string[]> = {
  cancel: ['queued', 'processing', 'restart-requested', 'failed', 'retrying', 'requeued', 'incomplete'],
  limits: ['queued', 'processing', 'restart-requested', 'failed', 'retrying', 'requeued', 'incomplete'],
  restart: ['queued', 'processing', 'requeued'],
  redrive: ['resolved by hand', 'dead-lettered', 'cancelled', 'discarded'],
  resolve: [
    'queued',
    'processing',
    'restart-requested',
    'failed',
    'retrying',
    'requeued',
    'incomplete',
    'dead-lettered',
  ],
  discard: [
    'queued',
    'processing',
    'restart-requested',
    'failed',
    'retrying',
    'requeued',
    'incomplete',
    'dead-lettered',
  ],
};

function standing(events: readonly JobEvent[], more: Partial<Standing> = {}): Standing {
  const state = foldJob(events);
  return { state, view: viewOf(state), epoch: 0, maxRedrives: 3, quarantined: false, ...more };
}

function draftsOf(
  action: OperatorAction,
  events: readonly JobEvent[],
  asked = request,
  more: Partial<Standing> = {},
): readonly DecisionDraft[] {
  const answer = operatorDrafts(action, asked, standing(events, more));
  if (answer.kind === 'conflict') throw new Error(answer.detail);
  return answer.drafts;
}

describe('what an operator’s call decides', () => {
  it.each(Object.entries(HISTORIES))('starts from a job that is %s', (_name, { status, events }) => {
    expect(standing(events).view.status).toBe(status);
  });

  describe.each(OPERATOR_ACTIONS)('%s', (action) => {
    it.each(Object.entries(HISTORIES))(
      'on a job that is %s applies, or conflicts and names the status',
      (name, { status, events }) => {
        const answer = operatorDrafts(action, { ...request, limits: { maxRetries: 1 } }, standing(events));
        if (APPLIES[action].includes(name)) {
          expect(answer.kind).toBe('decided');
        } else {
          expect(answer).toMatchObject({ kind: 'conflict', status });
        }
      },
    );
  });

  it('keeps reason and person with every decision', () => {
    for (const action of OPERATOR_ACTIONS) {
      const events = action === 'redrive' ? HISTORIES['discarded']!.events : HISTORIES['processing']!.events;
      const drafts = draftsOf(action, events, { ...request, limits: { maxRetries: 9 } });
      expect(drafts.length).toBeGreaterThan(0);
      for (const draft of drafts) expect(draft).toMatchObject({ reason: 'the disk was full', by: 'ann' });
    }
  });

  it('restarts what is processing by a request, and sends the command of a waiting one again under its own token', () => {
    expect(draftsOf('restart', HISTORIES['processing']!.events)).toMatchObject([
      { kind: 'restart-requested', attempt: 1, token: tokenOf(0, 1), previousWorker: { id: 'w1' } },
    ]);
    expect(draftsOf('restart', HISTORIES['queued']!.events)).toMatchObject([
      { kind: 'republished', attempt: 1, token: tokenOf(0, 1) },
    ]);
    expect(draftsOf('restart', HISTORIES['requeued']!.events)).toMatchObject([
      { kind: 'republished', attempt: 2, token: tokenOf(0, 2) },
    ]);
  });

  it('does not take a person’s word for one of the reconciler’s verdicts', () => {
    const [restart] = draftsOf('restart', HISTORIES['processing']!.events, { ...request, reason: 'lost' });
    expect(restart?.reason).toBe('operator: lost');
  });

  it('redrives into the next attempt, with a token of the newest epoch', () => {
    const events = HISTORIES['dead-lettered']!.events;
    expect(draftsOf('redrive', events)).toMatchObject([
      { kind: 'redriven', attempt: 1, evidence: { redrives: 1, maxRedrives: 3 } },
      { kind: 'requeued', attempt: 2, token: tokenOf(0, 2), previousWorker: { id: 'w1' } },
    ]);
    expect(draftsOf('redrive', events, request, { epoch: 7 })[1]?.token).toBe(tokenOf(7, 2));
  });

  it('refuses the redrive beyond the bound with the history, unless it is forced, which is kept', () => {
    const redriven = [1, 3, 5].flatMap((n) => [
      decision(n, 'dead-lettered', { attempt: (n + 1) / 2 }),
      decision(n + 1, 'redriven', { attempt: (n + 1) / 2, by: 'bob', reason: 'again' }),
    ]);
    const events = [queued, started, failed, ...redriven, decision(7, 'dead-lettered')];
    const refused = operatorDrafts('redrive', request, standing(events));
    expect(refused).toMatchObject({ kind: 'conflict', code: 'max_redrives', status: 'dead-lettered' });
    expect(refused.kind === 'conflict' && refused.history?.map((h) => h.kind)).toEqual([
      'dead-lettered',
      'redriven',
      'dead-lettered',
      'redriven',
      'dead-lettered',
      'redriven',
      'dead-lettered',
    ]);
    const [forced] = draftsOf('redrive', events, { ...request, force: true });
    expect(forced).toMatchObject({
      kind: 'redriven',
      by: 'ann',
      evidence: { redrives: 4, maxRedrives: 3, forced: true },
    });
  });

  it('says when the job was held by quarantine: a terminal state can be forced all the same', () => {
    const [resolved] = draftsOf(
      'resolve',
      HISTORIES['processing']!.events,
      { ...request, force: true },
      { quarantined: true },
    );
    expect(resolved).toMatchObject({ kind: 'resolved-by-hand', evidence: { forced: true, quarantined: true } });
  });

  it('carries an earlier change of limits on, as the newest one counts alone', () => {
    const events = [queued, started, decision(1, 'limits-changed', { limits: { maxRetries: 9 } })];
    const [changed] = draftsOf('limits', events, { ...request, limits: { timeoutMs: 5_000 } });
    expect(changed?.limits).toEqual({ maxRetries: 9, timeoutMs: 5_000 });
  });
});

describe('a payload changed by hand', () => {
  const body = (digit: string) => ({ hash: digit.repeat(64), bytes: 1 });
  const withPayload = fact({ type: 'queued', source: 's', id: 'q', laneMs: 1, payload: body('a') });
  const dead = [withPayload, started, failed, decision(1, 'dead-lettered')];
  const change = { before: body('a'), after: body('b'), evidence: { operations: [] } };

  it('is followed by the redrive that runs with it', () => {
    const answer = patchDrafts(request, standing(dead), change);
    expect(answer.kind === 'decided' && answer.drafts).toMatchObject([
      { kind: 'patched', attempt: 1, by: 'ann', payload: body('b'), evidence: { operations: [], before: body('a') } },
      { kind: 'redriven' },
      { kind: 'requeued', attempt: 2 },
    ]);
  });

  it.each<[string, readonly JobEvent[]]>([
    ['payload_changed', [...dead, decision(2, 'patched', { payload: body('c') })]],
    ['not_dead_lettered', HISTORIES['requeued']!.events],
    ['payload_missing', HISTORIES['dead-lettered']!.events],
    ['payload_elsewhere', [fact({ type: 'queued', source: 's', id: 'q', laneMs: 1, payload: { ref: 's3://b/k' } }), ...dead.slice(1)]],
    ['payload_erased', [...dead, decision(2, 'payload-erased')]],
  ])('is a conflict: %s', (code, events) => {
    expect(patchDrafts(request, standing(events), change)).toMatchObject({ kind: 'conflict', code });
  });
});
