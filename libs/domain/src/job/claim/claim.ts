import { DECISION_SOURCE, type DecisionDraft } from '../events/decisions.js';
import type { StartedFact, Worker } from '../events/facts.js';
import { sameWorker } from '../fold/fold-starts.js';
import type { AttemptState, JobState } from '../fold/state.js';
import { isOlder, redemptionToken } from '../intake/write-refusal.js';
import type { Subject } from '../plan/plan-types.js';
import { nextGrant, type ClaimClock } from './next-grant.js';

/**
 * A worker asks for a job: `POST …/claims`. Decided under the lock of the row and the lease.
 *
 *   claim id known          the same answer, while its attempt is current and has not ended
 *   finished                `finished`; nothing is written
 *   names a token           an older or a redeemed one: `superseded`; one that nobody was given: `token_unknown`
 *   revision refused        `revision_quarantined`
 *   grant open              redeemed: the fact `claimed`
 *   none open               the next grant where a reconciler would make it (`requeued`, reason claim: the answer is the
 *                           command), then redeemed; where it would dead-letter that, and `finished`; else `held`
 *
 * Clocks: lane time, and for the next grant how far the lanes had been read before. It is the queue's own redelivery,
 * so neither levels nor budgets bind it. One grant is redeemed once: of two claims at once the second finds a live lease.
 * Not guaranteed: that the worker of an older attempt has stopped. Its writes are refused by their token.
 */
export interface ClaimRequest {
  readonly claimId: string;
  readonly worker: Worker;
  /** Default: the policy's lease. */
  readonly leaseMs?: number;
  /** As the command named it: then only this grant is redeemed, and none is made. */
  readonly token?: number;
  /** W3C trace context of the span that the attempt is to be. */
  readonly traceparent?: string;
  readonly tracestate?: string;
}

export const GATES = ['open', 'paused', 'throttled'] as const;
export type Gate = (typeof GATES)[number];

export interface ClaimCircumstances extends Omit<ClaimClock, 'readMs'> {
  /** null: not asked yet. The answer is `unread` where it is needed. */
  readonly readMs: number | null;
  readonly gate: Gate;
  /** The stop switch: while it is off nothing is decided but by hand. */
  readonly actionsEnabled: boolean;
  /** Something in quarantine names the job: nothing is decided of it. */
  readonly quarantined: boolean;
  /** The worker's revision is out of service. */
  readonly revisionRefused: boolean;
}

export type ClaimRefusal =
  | 'held'
  | 'superseded'
  | 'finished'
  | 'token_unknown'
  | 'revision_quarantined'
  | 'paused'
  | 'throttled';

export type Claimed =
  | {
      readonly kind: 'granted';
      readonly attempt: number;
      readonly token: number;
      readonly leaseMs: number;
      /** The grant that this claim makes, before its redemption; null: it was open. */
      readonly grant: DecisionDraft | null;
      /** null: redeemed by this claim before. */
      readonly fact: StartedFact | null;
    }
  | {
      readonly kind: 'refused';
      readonly refusal: ClaimRefusal;
      /** When it may be worth asking again, lane time ms; null: nobody knows. */
      readonly untilMs: number | null;
      readonly draft: DecisionDraft | null;
    }
  | { readonly kind: 'unread' };

/** `requeued` by a claim: its worker has the answer, so no command goes out for it. */
export const GRANTED_BY_CLAIM = 'claim';

export function decideClaim(subject: Subject, request: ClaimRequest, circumstances: ClaimCircumstances): Claimed {
  const { state, view } = subject;
  const before = redeemedBy(state, request.claimId);
  if (view.finished) return refused('finished');
  if (before !== null) return repeated(subject, request, before);
  const byToken = tokenRefusal(subject, request);
  if (byToken !== null) return refused(byToken);
  if (circumstances.revisionRefused) return refused('revision_quarantined');
  if (isOpen(subject, request.worker)) return redeemOpen(subject, request, circumstances);
  return grantNext(subject, request, circumstances);
}

function redeemedBy(state: JobState, claimId: string): number | null {
  for (const [n, attempt] of state.attempts) if (attempt.claimId === claimId) return n;
  return null;
}

function repeated({ state, view, limits }: Subject, { worker }: ClaimRequest, attempt: number): Claimed {
  const known = state.attempts.get(attempt);
  if (known === undefined || attempt !== view.attempt || known.outcome !== null) return refused('superseded');
  // An id says who claims: another worker that uses it must not get the token too.
  if (!known.starts.some((s) => sameWorker(s.worker, worker))) return refused('held');
  const leaseMs = known.leaseMs ?? limits.lease.ms;
  return { kind: 'granted', attempt, token: view.token, leaseMs, grant: null, fact: null };
}

function tokenRefusal({ state, view, epoch }: Subject, { token }: ClaimRequest): ClaimRefusal | null {
  if (token === undefined) return null;
  if (token === view.token || token === unopened(state, epoch)) {
    return state.attempts.get(view.attempt)?.claimId == null ? null : 'superseded';
  }
  return isOlder(token, view.token, view.attempt) ? 'superseded' : 'token_unknown';
}

/** Of a job of which nothing is known yet, the token of its first grant. */
function unopened(state: JobState, epoch: number): number | null {
  return state.epoch === Number.MAX_SAFE_INTEGER ? redemptionToken(state, 1, epoch) : null;
}

/** Granted, and nobody has begun it, or only this worker, whose start was quicker than its claim. */
function isOpen({ state, view }: Subject, worker: Worker): boolean {
  const attempt = state.attempts.get(view.attempt);
  if (attempt === undefined) return view.status === 'queued' || view.status === 'requeued';
  if (attempt.claimId !== null || attempt.outcome !== null) return false;
  if (view.status === 'queued' || view.status === 'requeued') return true;
  return view.status === 'processing' && isOwnStart(attempt, worker);
}

function isOwnStart({ starts, releasedMs, startsOverflow }: AttemptState, worker: Worker): boolean {
  const own = starts.every((s) => sameWorker(s.worker, worker));
  return starts.length > 0 && own && releasedMs === null && !startsOverflow;
}

function redeemOpen(subject: Subject, request: ClaimRequest, { gate, laneMs }: ClaimCircumstances): Claimed {
  const { state, view, epoch } = subject;
  const fromMs = state.queued?.notBeforeMs ?? 0;
  if (fromMs > laneMs) return refused('held', fromMs);
  if (gate !== 'open') return refused(gate);
  return granted(subject, request, { laneMs, attempt: view.attempt, token: redemptionToken(state, view.attempt, epoch), grant: null });
}

function grantNext(subject: Subject, request: ClaimRequest, circumstances: ClaimCircumstances): Claimed {
  const { laneMs, readMs, gate } = circumstances;
  if (readMs === null) return { kind: 'unread' };
  const next = nextGrant(subject, { laneMs, readMs });
  if (next.kind === 'held') return refused('held', next.untilMs);
  if (!circumstances.actionsEnabled || circumstances.quarantined) return refused('held');
  const { draft, because } = next;
  if (draft.kind === 'dead-lettered') return { ...refused('finished'), draft };
  if (gate !== 'open') return refused(gate);
  const grant = { ...draft, reason: GRANTED_BY_CLAIM, evidence: { because } };
  const { attempt, token = redemptionToken(subject.state, attempt, subject.epoch) } = grant;
  return granted(subject, request, { laneMs, attempt, token, grant });
}

interface Grant {
  readonly laneMs: number;
  readonly attempt: number;
  readonly token: number;
  readonly grant: DecisionDraft | null;
}

/**
 * What the worker is told, and held to: as long as it asked for, or the policy's. Where heartbeats count for nothing it
 * is given up when its run takes too long, so it is told no less than that.
 */
function leaseFor({ policy, limits }: Subject, request: ClaimRequest): number {
  const leaseMs = request.leaseMs ?? limits.lease.ms;
  return policy.heartbeats === 'none' ? Math.max(leaseMs, limits.stuckAfter?.ms ?? 0) : leaseMs;
}

function granted(subject: Subject, request: ClaimRequest, { laneMs, attempt, token, grant }: Grant): Claimed {
  const { epoch } = subject;
  const { claimId, worker, traceparent, tracestate } = request;
  const leaseMs = leaseFor(subject, request);
  const fact: StartedFact = {
    type: 'claimed',
    source: DECISION_SOURCE,
    id: `claim/${claimId}`,
    ...{ laneMs, attempt, token, worker, leaseMs, claimId },
    ...(traceparent !== undefined && { traceparent }),
    ...(tracestate !== undefined && { tracestate }),
    ...(epoch > 0 && { epoch }),
  };
  return { kind: 'granted', attempt, token, leaseMs, grant, fact };
}

function refused(refusal: ClaimRefusal, untilMs: number | null = null): Extract<Claimed, { kind: 'refused' }> {
  return { kind: 'refused', refusal, untilMs, draft: null };
}
