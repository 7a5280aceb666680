import type { PolicySource } from '../ports/policy-source.port.js';
import type { ApprovableVerdict, ApprovalScope, ApprovedBy, VerdictStore } from '../ports/verdict-store.port.js';

/** Verdicts of one call: each is a job that is looked at, and may be run again, at once. */
export const MOST_APPROVALS = 1_000;

export type ApprovalRequest = ApprovalScope & ApprovedBy & {
  /** How many the caller has seen. With ids: how many ids. */
  readonly count: number;
};

export type ApprovalOutcome =
  | { readonly kind: 'approved'; readonly ids: readonly string[] }
  | {
      readonly kind: 'refused';
      readonly code: 'reason_required' | 'count_differs' | 'too_many' | 'verdict_moved_on' | 'level_observe';
      readonly detail: string;
      /** How many the filter finds now. */
      readonly found: number;
      /** Those of the ids that cannot be approved, and how each stands. */
      readonly verdicts?: readonly { readonly verdictId: string; readonly state: string }[];
    };

/**
 * `POST /v1/verdicts/approve`: a person lets would-haves become decisions. All of them or none: whoever approves by a
 * filter says how many he has seen, and nothing is approved that has come in since.
 *
 * An approval only makes its job due. What is decided is decided at the next look, on the plan made then. At observe
 * nothing leaves, approved or not: the queue has to be at approve, or at act for what was said before it was.
 */
export class ApproveVerdicts {
  constructor(
    private readonly store: Pick<VerdictStore, 'approvable' | 'approve'>,
    private readonly policies: PolicySource,
  ) {}

  async approve(request: ApprovalRequest): Promise<ApprovalOutcome> {
    const { count, by } = request;
    const reason = request.reason.trim();
    if (reason === '') return refused('reason_required', 'say why: it is kept', 0);
    const { total, verdicts } = await this.store.approvable(request, MOST_APPROVALS);
    if ('ids' in request) {
      const over = movedOn(request.ids, verdicts);
      if (over.length > 0) {
        return { ...refused('verdict_moved_on', 'nothing was approved: these do not stand any more', verdicts.length - over.length), verdicts: over };
      }
    }
    if (total !== count) {
      // The list of what is proposed does not show what was said at observe, and the filter finds it.
      const wide = 'filter' in request && request.filter.state === undefined;
      const hint = wide ? '; without `state` the filter also finds what was said at observe (shown)' : '';
      return refused('count_differs', `nothing was approved: ${String(total)} are found now, not ${String(count)}${hint}`, total);
    }
    if (total > MOST_APPROVALS) return refused('too_many', `at most ${String(MOST_APPROVALS)} are approved at once: narrow the filter`, total);
    const held = verdicts.find((v) => this.levelOf(v) === 'observe');
    if (held !== undefined) {
      const about = `${String(held.action)} of ${held.queue}`;
      return refused('level_observe', `nothing was approved: ${about} is at observe, where nothing leaves; set it to approve first`, total);
    }
    const holding = verdicts.map((v) => ({ ...v, holdsMs: this.policyOf(v).policy.approvalForMs }));
    if (await this.store.approve(holding, { by, reason })) return { kind: 'approved', ids: verdicts.map((v) => v.id) };
    const now = await this.store.approvable(request, 1);
    return refused('count_differs', 'nothing was approved: one of them has moved on just now', now.total);
  }

  private levelOf(verdict: ApprovableVerdict): string {
    return verdict.action === null ? 'observe' : this.policyOf(verdict).levels[verdict.action];
  }

  private policyOf({ namespace, queue }: ApprovableVerdict) {
    return this.policies.policyFor({ namespace, queue }, null);
  }
}

function movedOn(ids: readonly string[], found: readonly ApprovableVerdict[]) {
  const known = new Map(found.map((v) => [v.id, v]));
  return ids.flatMap((verdictId) => {
    const verdict = known.get(verdictId);
    return verdict?.stands === true ? [] : [{ verdictId, state: verdict?.state ?? 'unknown' }];
  });
}

function refused(code: Extract<ApprovalOutcome, { kind: 'refused' }>['code'], detail: string, found: number) {
  return { kind: 'refused', code, detail, found } as const;
}
