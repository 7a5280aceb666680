import {
  isPayloadGone,
  payloadOf,
  tokenOf,
  type BodyRef,
  type DecisionDraft,
  type DecisionKind,
  type JobState,
  type JobView,
  type LimitsChange,
} from '#libs/domain';
import type { Conflict, ConflictCode, OperatorAction, OperatorRequest } from './operator-request.js';

/** Everything that an operator's call depends on: the row under its lock, and the policy's bound on redrives. */
export interface Standing {
  readonly state: JobState;
  readonly view: JobView;
  /** The installation's epoch, for new tokens. */
  readonly epoch: number;
  readonly maxRedrives: number;
  readonly quarantined: boolean;
}

export interface Decided {
  readonly kind: 'decided';
  readonly drafts: readonly DecisionDraft[];
}

/**
 * What a call decides, or why it does not apply:
 *
 *   cancel, limits     what is not finished
 *   restart            processing; queued and requeued (the same attempt's command goes out again)
 *   redrive            what is finished and has no accepted success on its row
 *                      neither of them where the payload was erased: nothing could be sent to run it with
 *   resolve, discard   what is not finished, or dead-lettered
 *
 * The stops that follow an end by hand are the caller's to add, once the end has been folded.
 */
export function operatorDrafts(
  action: OperatorAction,
  request: OperatorRequest,
  standing: Standing,
): Decided | Conflict {
  switch (action) {
    case 'cancel':
      return unfinished(standing, byHand('cancelled', request, standing));
    case 'limits':
      return unfinished(
        standing,
        byHand('limits-changed', request, standing, { limits: merged(standing.state, request.limits ?? {}) }),
      );
    case 'restart':
      return restart(request, standing);
    case 'redrive':
      return redrive(request, standing);
    case 'resolve':
      return closable(standing, byHand('resolved-by-hand', request, standing));
    case 'discard':
      return closable(standing, byHand('discarded', request, standing));
  }
}

/** Decisions after which whoever still runs the job is told to stop. */
export function endsByHand(action: OperatorAction): boolean {
  return action === 'cancel' || action === 'resolve' || action === 'discard';
}

function decided(...drafts: readonly DecisionDraft[]): Decided {
  return { kind: 'decided', drafts };
}

function unfinished(standing: Standing, draft: DecisionDraft): Decided | Conflict {
  return standing.view.finished ? conflict(standing, 'finished', 'the job is finished') : decided(draft);
}

function closable(standing: Standing, draft: DecisionDraft): Decided | Conflict {
  const { finished, status } = standing.view;
  if (!finished || status === 'dead-lettered') return decided(draft);
  return conflict(standing, 'not_closable', 'only what is not finished, or dead-lettered, can be closed by hand');
}

function restart(request: OperatorRequest, standing: Standing): Decided | Conflict {
  const { view } = standing;
  if (!view.finished && isPayloadGone(standing.state)) return erased(standing);
  const again = { token: view.token };
  switch (view.status) {
    case 'processing':
      return decided(byHand('restart-requested', request, standing, { ...again, ...workerOf(standing) }));
    case 'queued':
    case 'requeued':
      return decided(byHand('republished', request, standing, again));
    default:
      return view.finished
        ? conflict(standing, 'finished', 'the job is finished; redrive starts it again')
        : conflict(standing, 'not_restartable', 'it is on its way to another attempt already');
  }
}

function redrive(request: OperatorRequest, standing: Standing): Decided | Conflict {
  const { state, view, epoch, maxRedrives } = standing;
  if (!view.finished) return conflict(standing, 'not_finished', 'only what is finished can be redriven');
  const redrives = redrivesOf(state);
  const refusal = redriveRefusal(state, { maxRedrives, force: request.force === true });
  if (refusal === 'already_succeeded') return conflict(standing, refusal, 'an attempt of it succeeded');
  if (refusal === 'payload_erased') return erased(standing);
  if (refusal === 'max_redrives') {
    return {
      ...conflict(
        standing,
        refusal,
        `redriven ${redrives} times, the bound is ${maxRedrives}; force goes beyond it`,
      ),
      history: historyOf(state),
    };
  }
  const evidence = { redrives: redrives + 1, maxRedrives, ...evidenceOf(request, standing) };
  const attempt = view.attempt + 1;
  return decided(
    byHand('redriven', request, standing, { evidence }),
    byHand('requeued', request, standing, {
      attempt,
      token: tokenOf(Math.max(epoch, Math.floor(view.token / 2 ** 32)), attempt),
      ...workerOf(standing),
    }),
  );
}

/** Why what is finished would not be taken up again; null: it would. */
export function redriveRefusal(state: JobState, { maxRedrives, force }: { readonly maxRedrives: number; readonly force: boolean }): Extract<ConflictCode, 'already_succeeded' | 'payload_erased' | 'max_redrives'> | null {
  if (hasSucceeded(state)) return 'already_succeeded';
  if (isPayloadGone(state)) return 'payload_erased';
  return redrivesOf(state) >= maxRedrives && !force ? 'max_redrives' : null;
}

const redrivesOf = (state: JobState): number => state.decisions.filter((d) => d.kind === 'redriven').length;

/**
 * A payload changed by hand, and the redrive that runs with it: of what is dead-lettered, and within the same bounds as a
 * redrive. `before` is the payload that the change was worked out on.
 */
export function patchDrafts(request: OperatorRequest, standing: Standing, change: PayloadChange): Decided | Conflict {
  const conflicting = patchConflict(request, standing);
  if (conflicting !== null) return conflicting;
  if (payloadHash(standing.state) !== change.before.hash) return conflict(standing, 'payload_changed', 'its payload was changed meanwhile; look at the preview again');
  const again = redrive(request, standing);
  if (again.kind === 'conflict') return again;
  const evidence = { ...change.evidence, before: change.before };
  return decided(byHand('patched', request, standing, { payload: change.after, evidence }), ...again.drafts);
}

export interface PayloadChange {
  readonly before: StoredBody;
  readonly after: StoredBody;
  readonly evidence: Readonly<Record<string, unknown>>;
}

export type StoredBody = Extract<BodyRef, { hash: string }>;

/** Why a job's payload cannot be changed where it stands; null: it can. */
export function patchConflict(request: OperatorRequest, standing: Standing): Conflict | null {
  const { state, view } = standing;
  if (view.status !== 'dead-lettered') return conflict(standing, 'not_dead_lettered', 'only the payload of a dead letter can be changed');
  const payload = payloadOf(state);
  if (payload === undefined) return conflict(standing, 'payload_missing', 'no payload was told of it; queue it with one, and patch that');
  if ('ref' in payload) return conflict(standing, 'payload_elsewhere', `its payload lies elsewhere (${payload.ref}): change it there, then redrive`);
  const again = redrive(request, standing);
  return again.kind === 'conflict' ? again : null;
}

function payloadHash(state: JobState): string | null {
  const payload = payloadOf(state);
  return payload !== undefined && 'hash' in payload ? payload.hash : null;
}

/** `force` is no way round it. */
function erased(standing: Standing): Conflict {
  return conflict(standing, 'payload_erased', 'its payload was erased, and there is nothing to run it with; queue it anew under another id');
}

/** A success on the row, whatever was decided since: running it again would do its work twice. */
function hasSucceeded(state: JobState): boolean {
  return [...state.attempts.values()].some((a) => a.outcome?.kind === 'succeeded');
}

function historyOf(state: JobState): Conflict['history'] & object {
  return state.decisions
    .filter((d) => d.kind === 'redriven' || d.kind === 'dead-lettered')
    .map(({ n, kind, attempt, reason, by, laneMs }) => ({ n, kind, attempt, reason, by, laneMs }));
}

/** The newest change counts alone, so it carries on what it does not change. */
function merged(state: JobState, change: LimitsChange): LimitsChange {
  return { ...state.decisions.findLast((d) => d.kind === 'limits-changed')?.limits, ...change };
}

function workerOf({ state, view }: Standing): Pick<DecisionDraft, 'previousWorker'> {
  const worker = state.attempts.get(view.attempt)?.starts[0]?.worker;
  return worker === undefined ? {} : { previousWorker: worker };
}

function byHand(
  kind: DecisionKind,
  request: OperatorRequest,
  standing: Standing,
  rest: Partial<DecisionDraft> = {},
): DecisionDraft {
  const evidence = evidenceOf(request, standing);
  return {
    kind,
    attempt: standing.view.attempt,
    reason: handReason(request.reason),
    by: request.by,
    ...(Object.keys(evidence).length > 0 && { evidence }),
    ...rest,
  };
}

function evidenceOf(request: OperatorRequest, standing: Standing): Record<string, unknown> {
  return { ...(request.force === true && { forced: true }), ...(standing.quarantined && { quarantined: true }) };
}

/** Words that the fold and the reconciler read a meaning into: a person who writes one means only the word. */
const MEANINGFUL: ReadonlySet<string> = new Set(['lost', 'hung', 'released', 'failed', 'backoff', 'heartbeat']);

function handReason(reason: string): string {
  const text = reason.trim();
  return MEANINGFUL.has(text) ? `operator: ${text}` : text;
}

function conflict({ view }: Standing, code: ConflictCode, why: string): Conflict {
  return {
    kind: 'conflict',
    code,
    status: view.status,
    attempt: view.attempt,
    n: view.n,
    detail: `does not apply to a job that is ${view.status}: ${why}`,
  };
}
