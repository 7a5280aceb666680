import type { DecisionDraft, Invalidates } from '#libs/domain';
import { JobChange } from '../log/job-change.js';
import { operatorDrafts } from '../operate/operator-drafts.js';
import { readingFor, type LaneClock, type LaneReading } from '../ports/lane-clock.port.js';
import { LANE_INSIDE, type JobWrite, type LockedBatch, type LogStore } from '../ports/log-store.port.js';
import { asLocked } from '../policies/as-locked.js';
import type { PolicySource } from '../ports/policy-source.port.js';
import type { Difference, Mender, MendOutcome, MendRequest } from './difference.js';
import { isIdleThere } from './judge.js';
import type { Meter } from './meter.js';

export interface MendParts {
  readonly log: LogStore;
  readonly clock: LaneClock;
  readonly policies: PolicySource;
  readonly meter: Meter;
  /** Keys and tags that a job's successes brought, by key: the row does not keep them. */
  readonly invalidatesOfSuccesses: (keysHex: readonly string[]) => Promise<ReadonlyMap<string, Invalidates>>;
  /** false: this replica lets nothing out. */
  readonly actionsAllowed: boolean;
}

/** Jobs per transaction. */
const CHUNK = 100;

/**
 * Mends differences, each decided anew under the row's and the lease's lock: a job that has gone on since it was
 * compared is left alone.
 *
 *   invalidate   theirs_behind: the job's keys and tags go out again. Somebody asked for it and reading a cache again
 *                harms nobody, so no level holds it back.
 *   requeue      they say that it waits, or do not have it, and here it is processing, queued or requeued: what an
 *                operator's restart does, at the level of the queue's `requeue`, no faster than the queue's budget, and
 *                never while a lease lives or could yet be renewed by what has not been read.
 */
export class MendDifferences implements Mender {
  constructor(private readonly parts: MendParts) {}

  async mend(differences: readonly Difference[], request: MendRequest): Promise<readonly MendOutcome[]> {
    const outcomes: MendOutcome[] = [];
    for (let at = 0; at < differences.length; at += CHUNK) {
      outcomes.push(...(await this.mendChunk(differences.slice(at, at + CHUNK), request)));
    }
    return outcomes;
  }

  private async mendChunk(chunk: readonly Difference[], request: MendRequest): Promise<MendOutcome[]> {
    const found = new Map<string, MendOutcome>();
    const fitting = new Map(chunk.filter((d) => isFor(request, d)).map((d) => [d.keyHex, d]));
    if (fitting.size > 0) {
      const keys = [...fitting.keys()];
      const known = request.mend === 'invalidate' ? await this.parts.invalidatesOfSuccesses(keys) : new Map<string, Invalidates>();
      const reading = await this.parts.clock.read();
      const jobs = [...fitting.values()].map(({ ref, keyHex }) => ({ ref, keyHex, eventKeys: [] }));
      const access = { jobs, lane: LANE_INSIDE, locked: 'wait', missing: 'ignore', lockLeases: true, guards: true } as const;
      const decided = await this.parts.log.transact(access, (locked) => {
        const looks = keys.map((key) => this.look(fitting.get(key), locked, { request, reading, known: known.get(key) }));
        return { writes: looks.flatMap((l) => l.write ?? []), result: () => looks.map((l) => l.outcome) };
      });
      keys.forEach((key, i) => found.set(key, decided[i] ?? MOVED));
    }
    if (request.mend === 'requeue') await this.meter(chunk, found);
    return chunk.map((d) => found.get(d.keyHex) ?? { outcome: 'not-applicable', why: 'kind' });
  }

  private look(difference: Difference | undefined, locked: LockedBatch, of: LookOf): Look {
    const job = difference === undefined ? undefined : locked.jobs.get(difference.keyHex);
    if (difference === undefined || job === undefined) return { outcome: MOVED };
    const change = new JobChange(job, locked, asLocked(this.parts.policies, locked));
    const { ours } = difference;
    if (change.view.status !== ours?.status || change.view.attempt !== ours.attempt) return { outcome: MOVED };
    if (!locked.actionsEnabled || !this.parts.actionsAllowed) return held('actions_off');
    const answer = of.request.mend === 'invalidate' ? invalidation(change, of) : this.requeue(change, locked, of);
    if ('outcome' in answer) return answer;
    for (const draft of answer) change.decide(draft);
    return { outcome: { outcome: 'done', why: null }, write: change.finish() };
  }

  private requeue(change: JobChange, locked: LockedBatch, { request, reading }: LookOf): readonly DecisionDraft[] | Look {
    const { job, policy, view } = change;
    if (job.quarantined) return held('quarantine');
    if ((job.state.queued?.notBeforeMs ?? 0) > locked.laneMs) return held('not_before');
    const leaseEndMs = view.status === 'processing' ? change.leaseEndMs : null;
    const readMs = Math.min(locked.laneMs, readingFor(reading, policy.policy.heartbeatTransport).readMs);
    if (leaseEndMs !== null && leaseEndMs > readMs) return held('lease');
    const answer = operatorDrafts('restart', request, {
      state: job.state,
      view,
      epoch: locked.epoch,
      maxRedrives: policy.policy.maxRedrives,
      quarantined: job.quarantined,
    });
    if (answer.kind === 'conflict') return { outcome: { outcome: 'not-applicable', why: answer.code } };
    if (policy.levels.requeue !== 'act') return { outcome: { outcome: 'would-have', why: policy.levels.requeue } };
    return answer.drafts;
  }

  private async meter(chunk: readonly Difference[], found: ReadonlyMap<string, MendOutcome>): Promise<void> {
    const done = chunk.filter((d) => found.get(d.keyHex)?.outcome === 'done').map((d) => d.ref);
    for (const { namespace, queue } of new Map(done.map((ref) => [`${ref.namespace}\0${ref.queue}`, ref])).values()) {
      const count = done.filter((ref) => ref.namespace === namespace && ref.queue === queue).length;
      await this.parts.meter.spend({ namespace, queue }, count, this.parts.policies.policyFor({ namespace, queue }, null).policy.budget);
    }
  }
}

interface LookOf {
  readonly request: MendRequest;
  readonly reading: LaneReading;
  readonly known: Invalidates | undefined;
}

interface Look {
  readonly outcome: MendOutcome;
  readonly write?: JobWrite;
}

const MOVED: MendOutcome = { outcome: 'not-applicable', why: 'moved' };

function held(why: string): Look {
  return { outcome: { outcome: 'held', why } };
}

function isFor({ mend }: MendRequest, { kind, theirs, ours }: Difference): boolean {
  if (mend === 'invalidate') return kind === 'theirs_behind';
  return isIdleThere(theirs) && (ours?.status === 'processing' || ours?.status === 'queued' || ours?.status === 'requeued');
}

function invalidation(change: JobChange, { request, known }: LookOf): readonly DecisionDraft[] | Look {
  const ofQueued = change.job.state.queued?.invalidates;
  const { keys, tags } = known ?? { keys: [], tags: [] };
  if (ofQueued === undefined && keys.length + tags.length === 0) {
    return { outcome: { outcome: 'not-applicable', why: 'nothing_to_invalidate' } };
  }
  const { reason, by } = request;
  return [{ kind: 'invalidation-requested', attempt: change.view.attempt, reason, by, evidence: { keys, tags } }];
}
