import { DEFAULT_LIMITS, jobKeyHex } from '#libs/contracts';
import { stopsOf, type DecisionDraft, type DecisionKind, type JobRef, type JobView } from '#libs/domain';
import { JobChange } from '../log/job-change.js';
import { LANE_INSIDE, type JobWrite, type LockedBatch, type LogStore } from '../ports/log-store.port.js';
import type { PolicySource } from '../ports/policy-source.port.js';
import type { JobReads } from '../ports/read-models.port.js';
import { goneJob } from './gone-job.js';
import { endsByHand, operatorDrafts, type Standing } from './operator-drafts.js';
import type { Conflict, OperatorAction, OperatorOutcome, OperatorRequest } from './operator-request.js';

/** Of a job as it stands under its lock, at this lane time: is it one that the call is for? */
export type Meant = (view: JobView, laneMs: number) => boolean;
const ANY: Meant = () => true;

/**
 * An operator's call on one job. The decision is made under the row's lock, on the fold of everything committed: of
 * two operators at once the second sees what the first one did, and is told so.
 *
 * What a person asks for is no action of Jobwarden's: no level holds it back, and it is decided while the stop switch
 * is off too (then nothing goes out until it is on again). Repeating a call is safe: it conflicts, or asks again for
 * what was asked before.
 */
export class OperateJob {
  constructor(
    private readonly log: LogStore,
    private readonly policies: PolicySource,
    private readonly retired: Pick<JobReads, 'summary'>,
  ) {}

  async call(ref: JobRef, action: OperatorAction, request: OperatorRequest): Promise<OperatorOutcome> {
    const [outcome] = await this.callAll([ref], action, request);
    if (outcome === undefined) throw new Error('a call on one job had no outcome');
    return outcome;
  }

  /**
   * The same call on many jobs, each of them once, in one transaction: a decision each, or its own reason why not. Outcomes in
   * the order of `refs`. Where it throws, nothing was decided of any. `meant`: whoever found the jobs by what they were says here
   * what they still have to be, since people and workers go on meanwhile.
   */
  async callAll(refs: readonly JobRef[], action: OperatorAction, request: OperatorRequest, meant: Meant = ANY): Promise<readonly OperatorOutcome[]> {
    const fault = faultOf(action, request);
    if (fault !== null) return refs.map(() => fault);
    const jobs = refs.map((ref) => ({ ref, keyHex: jobKeyHex(ref), eventKeys: [] }));
    const outcomes = await this.log.transact(
      { jobs, lane: LANE_INSIDE, locked: 'wait', missing: 'ignore', lockLeases: true },
      (batch) => {
        const decisions = jobs.map(({ keyHex }) => this.decide(batch, keyHex, action, { ...request, meant }));
        return { writes: decisions.flatMap(({ writes }) => writes), result: () => decisions.map(({ outcome }) => outcome) };
      },
    );
    return await Promise.all(refs.map(async (ref, i) => outcomes[i] ?? (await goneJob(ref, this.retired))));
  }

  /** null: there is no such row. */
  private decide(
    batch: LockedBatch,
    keyHex: string,
    action: OperatorAction,
    { meant, ...request }: OperatorRequest & { readonly meant: Meant },
  ): { readonly writes: readonly JobWrite[]; readonly outcome: OperatorOutcome | null } {
    const job = batch.jobs.get(keyHex);
    if (job === undefined) return { writes: [], outcome: null };
    const change = new JobChange(job, batch, this.policies);
    if (!meant(change.view, batch.laneMs)) return { writes: [], outcome: notMeant(change.view) };
    const standing: Standing = {
      state: job.state,
      view: change.view,
      epoch: batch.epoch,
      maxRedrives: change.policy.policy.maxRedrives,
      quarantined: job.quarantined,
    };
    const answer = batch.recovering && action === 'redrive' ? recovering(standing.view) : operatorDrafts(action, request, standing);
    if (answer.kind === 'conflict') return { writes: [], outcome: answer };
    const decisions = answer.drafts.map((draft) => decided(change, draft));
    if (endsByHand(action)) {
      for (const stop of stopsOf(job.state, change.view.attempt)) {
        decisions.push(decided(change, { ...stop, by: request.by }));
      }
    }
    const { status, attempt, token, n } = change.view;
    const write = change.finish();
    return { writes: [write], outcome: { kind: 'done', status, attempt, token, n, decisions } };
  }
}

function notMeant({ status, attempt, n }: JobView): Conflict {
  return { kind: 'conflict', code: 'not_meant', status, attempt, n, detail: 'it is not any more what it was found as' };
}

/** Its token might be one that was given out before the restore. */
export function recovering({ status, attempt, n }: JobView): Conflict {
  const detail = 'the database was restored: nothing is granted until it has been recovered (`jobwarden recover`)';
  return { kind: 'conflict', code: 'recovering', status, attempt, n, detail };
}

function decided(change: JobChange, draft: DecisionDraft): { n: number; kind: DecisionKind } {
  change.decide(draft);
  return { n: change.view.n, kind: draft.kind };
}

/** Of every call by hand: why must be said, and not at any length. */
export function faultOfReason(reason: string): Extract<OperatorOutcome, { kind: 'refused' }> | null {
  if (reason.trim() === '') {
    return { kind: 'refused', code: 'reason_required', detail: 'say why: it is kept with the decision' };
  }
  const bytes = Buffer.byteLength(reason, 'utf8');
  if (bytes > DEFAULT_LIMITS.textBytes) {
    const detail = `the reason has ${bytes} bytes, the limit is ${DEFAULT_LIMITS.textBytes}`;
    return { kind: 'refused', code: 'reason_too_long', detail };
  }
  return null;
}

function faultOf(action: OperatorAction, request: OperatorRequest): OperatorOutcome | null {
  const fault = faultOfReason(request.reason);
  if (fault !== null) return fault;
  const { maxRetries, timeoutMs } = request.limits ?? {};
  if (action === 'limits' && maxRetries === undefined && timeoutMs === undefined) {
    return { kind: 'refused', code: 'limits_required', detail: 'give maxRetries, timeoutMs or both' };
  }
  return null;
}
