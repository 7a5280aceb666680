import { jobKeyHex } from '#libs/contracts';
import { erasureOf, payloadOf, type DecisionDraft, type JobRef, type JobStatus } from '#libs/domain';
import { JobChange } from '../log/job-change.js';
import type { Erasable, ErasureReads } from '../ports/erasure-reads.port.js';
import { LANE_INSIDE, type LockedBatch, type LogStore, type WriteSet } from '../ports/log-store.port.js';
import type { PolicySource } from '../ports/policy-source.port.js';
import type { JobReads } from '../ports/read-models.port.js';
import { goneJob } from './gone-job.js';
import { faultOfReason } from './operate-job.js';
import type { OperatorOutcome, OperatorRequest } from './operator-request.js';

export interface Erased {
  readonly kind: 'erased';
  readonly status: JobStatus;
  readonly attempt: number;
  /** Of the last decision. */
  readonly n: number;
  /** The first erasure: when (lane time ms), by whom and why. */
  readonly first: { readonly atMs: number; readonly by: string; readonly reason: string };
  /** Nothing was left to erase, and nothing was decided. */
  readonly already: boolean;
  readonly found: Erasable;
  /** The payload itself lies elsewhere, where a reference names it. */
  readonly payloadRef: string | null;
}

export type EraseOutcome = Erased | Extract<OperatorOutcome, { kind: 'refused' | 'not_found' | 'retired' }>;

/**
 * Erases everything that was told of a job besides the log: payload, snapshots, stacks, long messages, progress, what of
 * them stands in messages, and what of the job lies in quarantine. In one transaction with the decision that says so.
 *
 * It stays so: what is told of the job later is kept without its bodies. Repeating it is safe: where nothing is left,
 * nothing is decided. Applies to a job wherever it stands; one that is not finished cannot be requeued after it.
 */
export class ErasePayload {
  constructor(
    private readonly log: LogStore,
    private readonly policies: PolicySource,
    private readonly reads: ErasureReads,
    private readonly retired: Pick<JobReads, 'summary'>,
  ) {}

  async erase(ref: JobRef, request: Pick<OperatorRequest, 'reason' | 'by'>): Promise<EraseOutcome> {
    const fault = faultOfReason(request.reason);
    if (fault !== null) return fault;
    const keyHex = jobKeyHex(ref);
    const found = await this.reads.find(ref);
    const outcome = await this.log.transact(
      { jobs: [{ ref, keyHex, eventKeys: [] }], lane: LANE_INSIDE, locked: 'wait', missing: 'ignore', lockLeases: true },
      (batch) => this.decide(batch, keyHex, request, found),
    );
    return outcome ?? (await goneJob(ref, this.retired));
  }

  /** null: there is no such row. */
  private decide(
    batch: LockedBatch,
    keyHex: string,
    { reason, by }: Pick<OperatorRequest, 'reason' | 'by'>,
    found: Erasable,
  ): WriteSet<EraseOutcome | null> {
    const job = batch.jobs.get(keyHex);
    if (job === undefined) return { writes: [], result: () => null };
    const change = new JobChange(job, batch, this.policies);
    const already = erasureOf(job.state) !== null && Object.values(found).every((count) => count === 0);
    if (!already) change.decide(draftOf(change.view.attempt, reason.trim(), by, found));
    const { status, attempt, n } = change.view;
    const first = erasureOf(job.state);
    const payload = payloadOf(job.state);
    const outcome: Erased = {
      ...{ kind: 'erased', status, attempt, n, already, found },
      first: { atMs: first?.laneMs ?? batch.laneMs, by: first?.by ?? by, reason: first?.reason ?? reason },
      payloadRef: payload !== undefined && 'ref' in payload ? payload.ref : null,
    };
    if (already) return { writes: [], result: () => outcome };
    return { writes: [change.finish()], erasures: [{ job, by, reason: reason.trim() }], result: () => outcome };
  }
}

function draftOf(attempt: number, reason: string, by: string, found: Erasable): DecisionDraft {
  return { kind: 'payload-erased', attempt, reason, by, evidence: { ...found } };
}
