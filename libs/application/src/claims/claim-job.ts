import { eventKeyHex, jobKeyHex } from '#libs/contracts';
import { decideClaim, type Claimed, type ClaimRefusal, type ClaimRequest } from '#libs/domain';
import type { Gate, JobRef, JobStatus, StartedFact } from '#libs/domain';
import { JobChange } from '../log/job-change.js';
import type { RetiredJob } from '../operate/operator-request.js';
import type { QueueGates } from '../operate/queue-gates.js';
import type { ClaimReads } from '../ports/claim-reads.port.js';
import { readingFor, type LaneClock, type LaneReading } from '../ports/lane-clock.port.js';
import { LANE_HTTP, NoPermit, type LockedBatch, type LockedJob, type LogStore, type Position, type WriteSet } from '../ports/log-store.port.js';
import type { PolicySource } from '../ports/policy-source.port.js';
import type { JobReads } from '../ports/read-models.port.js';
import type { RevisionGate } from '../ports/revision-gate.port.js';
import { grantDetails } from './grant-details.js';

export interface ClaimParts {
  readonly log: LogStore;
  readonly policies: PolicySource;
  readonly clock: Pick<LaneClock, 'read'>;
  readonly gates: Pick<QueueGates, 'of' | 'untilPermit'>;
  readonly revisions: RevisionGate;
  readonly reads: ClaimReads;
  readonly retired: Pick<JobReads, 'summary'>;
}

export type ClaimAnswer =
  | {
      readonly kind: 'granted';
      readonly attempt: number;
      readonly token: number;
      readonly leaseMs: number;
      /** Of the keys that are no longer true since the grant; null: there are none. */
      readonly invalidation: Position | null;
      /** What to run with, as the enqueue command has it, as JSON text; null: nothing is known of the job but that it is claimed. */
      readonly command: string | null;
    }
  | {
      readonly kind: 'refused';
      readonly refusal: ClaimRefusal;
      readonly status: JobStatus;
      readonly attempt: number;
      /** null: asking again is no use. */
      readonly retryAfterMs: number | null;
    }
  /** The database was restored, and what was granted before is not known yet. */
  | { readonly kind: 'recovering' }
  /** Below the retention line: only its summary is left. */
  | { readonly kind: 'retired'; readonly summary: RetiredJob };

/**
 * `POST …/claims`. One transaction for an open grant. Where the next one is to be made, it first asks how far the lanes
 * have been read, which must be before the row is locked, and a second transaction decides on that.
 *
 * Idempotent by claim id, whenever and however often it comes; of many at once one redeems and the others read its
 * answer under the row's lock.
 */
export class ClaimJob {
  constructor(private readonly parts: ClaimParts) {}

  async claim(ref: JobRef, request: ClaimRequest): Promise<ClaimAnswer> {
    for (;;) {
      try {
        return await this.claimBy(ref, request);
      } catch (error) {
        if (!(error instanceof NewerRefusals)) throw error;
        await this.parts.revisions.refresh();
      }
    }
  }

  private async claimBy(ref: JobRef, request: ClaimRequest): Promise<ClaimAnswer> {
    let admission = await this.admission(ref);
    let decided: Decided | null;
    try {
      decided = await this.read(ref, request, admission);
    } catch (error) {
      if (!(error instanceof NoPermit)) throw error;
      // Another claim was quicker; what it is answered apart from that, it is answered all the same.
      admission = { gate: 'throttled', takesPermit: false, waitMs: await this.parts.gates.untilPermit(ref) };
      decided = await this.read(ref, request, admission);
    }
    if (decided === null) return await this.retired(ref);
    return await this.answer(decided, admission.waitMs);
  }

  /**
   * Of a throttled queue a permit is taken with the claim that it lets begin, in one transaction: what is held, over or
   * out of service costs none, nor does a claim that comes again. Here it is only looked for, so that most are refused cheaply.
   */
  private async admission(ref: JobRef): Promise<Admission> {
    const gate = this.parts.gates.of(ref)?.gate ?? 'open';
    if (gate !== 'throttled') return { gate, takesPermit: false, waitMs: null };
    const waitMs = await this.parts.gates.untilPermit(ref);
    return { gate: waitMs === 0 ? 'open' : 'throttled', takesPermit: true, waitMs };
  }

  private async read(ref: JobRef, request: ClaimRequest, admission: Admission): Promise<Decided | null> {
    const decided = await this.decide(ref, request, { ...admission, reading: null });
    if (decided?.claimed?.kind !== 'unread') return decided;
    const reading = await this.parts.clock.read();
    return await this.decide(ref, request, { ...admission, reading });
  }

  /** null: the job lies below the retention line. */
  private async decide(ref: JobRef, request: ClaimRequest, seen: Seen): Promise<Decided | null> {
    const keyHex = jobKeyHex(ref);
    return await this.parts.log.transact(
      { jobs: [{ ref, keyHex, eventKeys: [] }], lane: LANE_HTTP, locked: 'wait', missing: 'insert', lockLeases: true, gates: true },
      (batch) => this.decideOn(batch, keyHex, request, seen),
    );
  }

  private decideOn(batch: LockedBatch, keyHex: string, request: ClaimRequest, seen: Seen): WriteSet<Decided | null> {
    const job = batch.jobs.get(keyHex);
    if (job === undefined) return { writes: [], result: () => null };
    // Another one may have been refused, and proved to be, while this replica was halted since it asked its list.
    if (request.worker.revision !== undefined && batch.refusalsVersion > this.parts.revisions.version) throw new NewerRefusals('the list of refused revisions is older than that in force');
    const change = new JobChange(job, batch, this.parts.policies);
    const claimed = batch.recovering ? null : decideClaim(change.subject(), request, this.circumstances(change, batch, request, seen));
    if (claimed !== null) carryOut(change, claimed, batch.laneMs);
    const { status, attempt } = change.view;
    const leaseMs = change.policy.policy.leaseMs;
    const decided: Decided = { claimed, job, status, attempt, laneMs: batch.laneMs, leaseMs };
    const begins = claimed?.kind === 'granted' && claimed.fact !== null;
    return { writes: change.changed ? [change.finish()] : [], ...(begins && seen.takesPermit && { permit: job.queueId }), result: () => decided };
  }

  private circumstances(change: JobChange, batch: LockedBatch, { worker }: ClaimRequest, { gate, reading }: Seen) {
    const { heartbeatTransport } = change.policy.policy;
    return {
      laneMs: batch.laneMs,
      readMs: reading === null ? null : readingFor(reading, heartbeatTransport).readMs,
      // What is in memory may be older than a pause; what is open again it finds out by itself.
      gate: gate === 'open' && batch.paused?.has(change.job.queueId) === true ? 'paused' : gate,
      actionsEnabled: batch.actionsEnabled,
      quarantined: change.job.quarantined,
      revisionRefused: this.parts.revisions.refuses(change.job.ref, worker),
    };
  }

  private async answer({ claimed, job, status, attempt, laneMs, leaseMs }: Decided, waitMs: number | null): Promise<ClaimAnswer> {
    if (claimed === null) return { kind: 'recovering' };
    // Asked for and answered before the second decision.
    if (claimed.kind === 'unread') return { kind: 'refused', refusal: 'held', status, attempt, retryAfterMs: LATER_MS };
    if (claimed.kind === 'granted') {
      const { token, leaseMs: granted } = claimed;
      const details = await grantDetails(job, claimed.attempt, token, this.parts.reads);
      return { kind: 'granted', attempt: claimed.attempt, token, leaseMs: granted, ...details };
    }
    const { refusal, untilMs } = claimed;
    const againMs = untilMs === null ? (refusal === 'held' ? leaseMs : LATER_MS) : untilMs - laneMs;
    const retryAfterMs = ASK_AGAIN.has(refusal) ? Math.max(0, refusal === 'throttled' ? Math.max(1, waitMs ?? LATER_MS) : againMs) : null;
    return { kind: 'refused', refusal, status, attempt, retryAfterMs };
  }

  private async retired(ref: JobRef): Promise<ClaimAnswer> {
    const summary = await this.parts.retired.summary(ref);
    // Its period went, and its summary with it, between the two reads: it is over either way.
    if (summary === null) return { kind: 'refused', refusal: 'finished', status: 'succeeded', attempt: 1, retryAfterMs: null };
    const { status, attempt, token, sinceMs } = summary;
    return { kind: 'retired', summary: { status, attempt, token, sinceMs } };
  }
}

/** What is in memory is older than what this transaction has read: the claim is decided anew. */
class NewerRefusals extends Error {}

const LATER_MS = 5_000;
const ASK_AGAIN: ReadonlySet<ClaimRefusal> = new Set(['held', 'paused', 'throttled', 'revision_quarantined']);

interface Admission {
  readonly gate: Gate;
  /** The queue is throttled, and what begins takes a permit. */
  readonly takesPermit: boolean;
  /** For the next permit, ms. */
  readonly waitMs: number | null;
}

interface Seen extends Admission {
  readonly reading: LaneReading | null;
}

interface Decided {
  /** null: nothing may be decided yet. */
  readonly claimed: Claimed | null;
  readonly job: LockedJob;
  readonly status: JobStatus;
  readonly attempt: number;
  readonly laneMs: number;
  /** The policy's, as a measure of when to ask again. */
  readonly leaseMs: number;
}

function carryOut(change: JobChange, claimed: Claimed, laneMs: number): void {
  if (claimed.kind === 'unread') return;
  if (claimed.kind === 'refused') {
    if (claimed.draft !== null) change.decide(claimed.draft);
    return;
  }
  const { grant, fact, attempt, leaseMs, token } = claimed;
  if (grant !== null) change.decide(grant);
  if (fact === null) return;
  change.addFact(fact, {
    eventKey: eventKeyHex(fact.source, fact.id),
    contentHash: null,
    bodies: [],
    data: dataOf(fact, change.job.ref.queue),
  });
  // The lease begins with the claim, and is renewed by whoever names its token.
  change.addLease({ attempt, beatMs: laneMs, leaseMs, workerKey: null, progress: null, token });
}

function dataOf({ attempt, leaseMs, token, worker }: StartedFact, queue: string): string {
  return JSON.stringify({ attempt, leaseMs, queue, token, worker });
}
