import { eventKeyHex, jobKeyHex, type ClaimState, type ParsedHeartbeat, type ParsedWorkerHeartbeat } from '#libs/contracts';
import { takeIn, type Heartbeat, type JobRef, type StartedFact } from '#libs/domain';
import { JobChange } from '../log/job-change.js';
import type { Beat, BeatAnswer, LeaseStore } from '../ports/lease-store.port.js';
import type { JobAccess, JobWrite, Lane, LockedBatch, LogStore } from '../ports/log-store.port.js';
import type { PolicySource } from '../ports/policy-source.port.js';

/**
 * Heartbeats. The common case renews a lease row without touching the job's; a beat that changes what a job waits for
 * takes the job's lock: the first one of an attempt (which stands for its start, where none was seen), one that
 * withdraws a request to restart, and one that grades a would-have as wrong.
 */
export class Heartbeats {
  constructor(
    private readonly log: LogStore,
    private readonly leases: LeaseStore,
    private readonly policies: PolicySource,
    /** Of those that bring none of their own. */
    private readonly lane: Lane,
  ) {}

  /** Answers in order. */
  async renew(parsed: readonly ParsedHeartbeat[], came: Came = {}): Promise<readonly BeatState[]> {
    const beats = parsed.map((p, i): KeyedBeat => {
      return keyed(p.ref, p.heartbeat as Heartbeat, { contentHash: p.contentHash, atMs: came.timesMs?.[i] ?? null });
    });
    const lane = came.lane ?? this.lane;
    const answers = await this.leases.renew(beats, lane);
    await this.change(beats, answers, { lane, workerKey: null });
    return statesOf(beats, answers);
  }

  async renewWorker(parsed: ParsedWorkerHeartbeat, workerKey: string, came: Came = {}): Promise<readonly BeatState[]> {
    const { contentHash, namespace, worker } = parsed;
    const atMs = came.timesMs?.[0] ?? null;
    const beats = parsed.beats.map((b): KeyedBeat => keyed(b.ref, b.heartbeat as Heartbeat, { contentHash, atMs }));
    const runtime = (parsed.runtime ?? null) as Readonly<Record<string, unknown>> | null;
    const lane = came.lane ?? this.lane;
    const answers = await this.leases.renewWorker({ namespace, worker, runtime, jobs: beats, atMs }, lane);
    await this.change(beats, answers, { lane, workerKey });
    return statesOf(beats, answers);
  }

  private async change(
    beats: readonly KeyedBeat[],
    answers: readonly BeatAnswer[],
    { lane, workerKey }: { readonly lane: Lane; readonly workerKey: string | null },
  ): Promise<void> {
    const wanted = new Set(answers.filter(changesSomething).map((a) => `${a.keyHex}/${String(a.attempt)}`));
    const newest = new Map(beats.map((b) => [`${b.keyHex}/${String(b.heartbeat.attempt)}`, b]));
    const changing = [...newest].filter(([key]) => wanted.has(key)).map(([, beat]) => beat);
    if (changing.length === 0) return;
    await this.log.transact(
      { jobs: accesses(changing), lane, locked: 'wait', missing: 'ignore', lockLeases: false },
      (locked) => ({ writes: this.fold(changing, locked, workerKey), result: () => undefined }),
    );
  }

  private fold(beats: readonly KeyedBeat[], locked: LockedBatch, workerKey: string | null): JobWrite[] {
    const changes = new Map<string, JobChange>();
    for (const beat of beats) {
      const job = locked.jobs.get(beat.keyHex);
      if (job === undefined) continue;
      const change = changes.get(beat.keyHex) ?? new JobChange(job, locked, this.policies);
      changes.set(beat.keyHex, change);
      this.addBeat(change, beat, locked, workerKey);
    }
    return [...changes.values()].filter((c) => c.changed).map((c) => c.finish());
  }

  private addBeat(change: JobChange, beat: KeyedBeat, locked: LockedBatch, workerKey: string | null): void {
    const { heartbeat } = beat;
    const { view, job } = change;
    if (view.finished || heartbeat.attempt !== view.attempt) return;
    const known = job.state.attempts.get(heartbeat.attempt);
    // What comes after an attempt's end is a straggler: it neither begins it again nor holds it.
    if (known !== undefined && known.outcome !== null) return;
    if (known === undefined || known.firstStartMs === null) this.addStart(change, beat, locked);
    change.addLease({
      attempt: heartbeat.attempt,
      beatMs: beat.atMs ?? locked.laneMs,
      leaseMs: heartbeat.leaseMs ?? null,
      workerKey,
      progress: heartbeat.progress === undefined ? null : JSON.stringify(heartbeat.progress),
    });
  }

  /** The first heartbeat of an attempt with no start seen is appended as its start. */
  private addStart(change: JobChange, beat: KeyedBeat, locked: LockedBatch): void {
    if (change.job.known.has(beat.eventKey)) return;
    const { heartbeat, ref } = beat;
    const { source, id, attempt, timeMs, token, leaseMs } = heartbeat;
    const worker = heartbeat.worker ?? { id: source };
    const { policy, levels } = change.policy;
    const fact: StartedFact = {
      type: 'started',
      source,
      id,
      laneMs: beat.atMs ?? locked.laneMs,
      attempt,
      worker,
      ...(locked.epoch > 0 && { epoch: locked.epoch }),
      ...(timeMs !== undefined && { timeMs }),
      ...(token !== undefined && { token }),
      ...(leaseMs !== undefined && { leaseMs }),
      ...(policy.owner === 'queue' && { ownerQueue: true }),
    };
    const intake = takeIn(change.job.state, fact, { stopsAllowed: levels.requeue === 'act' });
    if (intake.outcome !== 'accepted') return;
    const data = JSON.stringify({
      attempt,
      ...(leaseMs !== undefined && { leaseMs }),
      queue: ref.queue,
      seenBy: 'heartbeat',
      ...(token !== undefined && { token }),
      worker,
    });
    change.addFact(fact, { eventKey: beat.eventKey, contentHash: beat.contentHash, bodies: [], data });
  }
}

/** How heartbeats came, where not by the lane that they all come by. */
export interface Came {
  readonly lane?: Lane;
  /** The broker's append times, ms, in the order of the heartbeats. */
  readonly timesMs?: readonly (number | null)[];
}

export interface BeatState {
  readonly ref: JobRef;
  readonly attempt: number;
  /** undefined: nothing is known of the job. */
  readonly state: ClaimState | undefined;
}

interface KeyedBeat extends Beat {
  readonly eventKey: string;
  readonly contentHash: Uint8Array;
}

function keyed(ref: JobRef, heartbeat: Heartbeat, came: Pick<KeyedBeat, 'contentHash' | 'atMs'>): KeyedBeat {
  return {
    ref,
    heartbeat,
    ...came,
    keyHex: jobKeyHex(ref),
    eventKey: eventKeyHex(heartbeat.source, heartbeat.id),
  };
}

function accesses(beats: readonly KeyedBeat[]): JobAccess[] {
  const byKey = new Map<string, { ref: JobRef; keyHex: string; eventKeys: string[] }>();
  for (const { ref, keyHex, eventKey: key } of beats) {
    const found = byKey.get(keyHex);
    if (found === undefined) byKey.set(keyHex, { ref, keyHex, eventKeys: [key] });
    else found.eventKeys.push(key);
  }
  return [...byKey.values()];
}

const WAITS_FOR_A_SIGN = new Set(['queued', 'requeued', 'restart-requested', 'incomplete']);

function changesSomething({ job, attempt, lease }: BeatAnswer): boolean {
  if (job === null || attempt !== job.attempt) return false;
  if (WAITS_FOR_A_SIGN.has(job.status)) return true;
  return job.status === 'processing' && (!lease || job.openVerdicts);
}

const FINISHED = new Set(['succeeded', 'dead-lettered', 'cancelled', 'discarded']);

/** By key: a worker may name tens of thousands of jobs in one beat. */
function statesOf(beats: readonly KeyedBeat[], answers: readonly BeatAnswer[]): BeatState[] {
  const byKey = new Map(answers.map((a) => [`${a.keyHex}/${String(a.attempt)}`, a]));
  return beats.map(({ ref, keyHex, heartbeat: { attempt } }) => ({
    ref,
    attempt,
    state: claimState(byKey.get(`${keyHex}/${String(attempt)}`)),
  }));
}

function claimState(answer: BeatAnswer | undefined): ClaimState | undefined {
  if (answer?.job == null) return undefined;
  const { status, attempt } = answer.job;
  if (FINISHED.has(status)) return 'finished';
  if (answer.attempt < attempt) return 'superseded';
  return status === 'restart-requested' && answer.attempt === attempt ? 'restart-requested' : 'go-on';
}
