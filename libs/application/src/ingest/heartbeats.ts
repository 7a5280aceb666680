import { eventKeyHex, jobKeyHex, type ParsedHeartbeat, type ParsedWorkerHeartbeat } from '#libs/contracts';
import { claimStateOf, FINISHED, refusedWrite, takeIn, takeInBeat, writeRefusal } from '#libs/domain';
import type { ClaimState, Heartbeat, JobRef, StartedFact, WriteRefusal } from '#libs/domain';
import { JobChange } from '../log/job-change.js';
import { has, MARKS } from '../log/verdict-marks.js';
import type { Beat, BeatAnswer, LeaseStore } from '../ports/lease-store.port.js';
import type { Lane, LockedBatch, LogStore, WriteSet } from '../ports/log-store.port.js';
import type { PolicySource } from '../ports/policy-source.port.js';
import { accessesOf } from './fact-item.js';

/**
 * Heartbeats. The common case renews a lease row without touching the job's; a beat that changes what a job waits for
 * takes the job's lock: the first one of an attempt (which stands for its start, where none was seen), one that
 * withdraws a request to restart, one that grades a would-have as wrong, and one whose token is not that of the claim.
 *
 * A beat without the token of a claimed attempt extends nothing. The first one of each attempt and reason is kept as
 * `write-refused`; whoever goes on beating is only told again, or the log would grow with his stubbornness.
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
    return statesOf(beats, answers, await this.change(beats, answers, { lane, workerKey: null }));
  }

  async renewWorker(parsed: ParsedWorkerHeartbeat, workerKey: string, came: Came = {}): Promise<readonly BeatState[]> {
    const { contentHash, namespace, worker } = parsed;
    const atMs = came.timesMs?.[0] ?? null;
    const beats = parsed.beats.map((b): KeyedBeat => keyed(b.ref, b.heartbeat as Heartbeat, { contentHash, atMs }));
    const runtime = (parsed.runtime ?? null) as Readonly<Record<string, unknown>> | null;
    const lane = came.lane ?? this.lane;
    const answers = await this.leases.renewWorker({ namespace, worker, runtime, jobs: beats, atMs }, lane);
    return statesOf(beats, answers, await this.change(beats, answers, { lane, workerKey }));
  }

  private async change(
    beats: readonly KeyedBeat[],
    answers: readonly BeatAnswer[],
    { lane, workerKey }: { readonly lane: Lane; readonly workerKey: string | null },
  ): Promise<Refusals> {
    const newest = newestOf(beats);
    const wanted = answers.flatMap((answer) => {
      const beat = newest.get(keyOf(answer.keyHex, answer.attempt));
      return beat !== undefined && (changesSomething(answer) || isOutOfPlace(answer, beat.heartbeat)) ? [beat] : [];
    });
    // Each beat has its answer, and a backlog brings many beats of one attempt.
    const changing = [...new Set(wanted)];
    if (changing.length === 0) return NONE_REFUSED;
    return await this.log.transact(
      { jobs: accessesOf(changing), lane, locked: 'wait', missing: 'ignore', lockLeases: false },
      (locked) => this.fold(changing, locked, workerKey),
    );
  }

  private fold(beats: readonly KeyedBeat[], locked: LockedBatch, workerKey: string | null): WriteSet<Refusals> {
    const changes = new Map<string, JobChange>();
    const refusals = new Map<string, WriteRefusal>();
    for (const beat of beats) {
      const job = locked.jobs.get(beat.keyHex);
      if (job === undefined) continue;
      const change = changes.get(beat.keyHex) ?? new JobChange(job, locked, this.policies);
      changes.set(beat.keyHex, change);
      const tokensRequired = change.policy.policy.claims === 'required';
      const refusal = writeRefusal(job.state, beat.heartbeat, { tokensRequired, epoch: locked.epoch });
      if (refusal === null) this.addBeat(change, beat, locked, workerKey);
      else {
        keepRefused(change, beat, refusal);
        refusals.set(keyOf(beat.keyHex, beat.heartbeat.attempt), refusal);
      }
    }
    const writes = [...changes.values()].filter((c) => c.changed).map((c) => c.finish());
    return { writes, result: () => refusals };
  }

  private addBeat(change: JobChange, beat: KeyedBeat, locked: LockedBatch, workerKey: string | null): void {
    const { heartbeat } = beat;
    const changed = takeInBeat(change.job.state, change.view, heartbeat.attempt);
    if (changed === 'elsewhere' && heartbeat.attempt <= change.view.attempt) change.saw(heartbeat.attempt, 'beat');
    if (changed === 'elsewhere' || changed === 'nothing') return;
    if (changed === 'start-and-lease') this.addStart(change, beat, locked);
    change.addLease({
      attempt: heartbeat.attempt,
      beatMs: beat.atMs ?? locked.laneMs,
      leaseMs: heartbeat.leaseMs ?? null,
      workerKey,
      progress: heartbeat.progress === undefined ? null : JSON.stringify(heartbeat.progress),
      // From here on this attempt is beaten for with its token only.
      ...(change.policy.policy.claims === 'required' && heartbeat.token !== undefined && { token: heartbeat.token }),
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
    const intake = takeIn(change.job.state, fact, {
      stopsAllowed: levels.requeue === 'act',
      tokensRequired: policy.claims === 'required',
      epoch: locked.epoch,
    });
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
  /** The beat has renewed nothing. */
  readonly refusal: WriteRefusal | null;
}

type Refusals = ReadonlyMap<string, WriteRefusal>;
const NONE_REFUSED: Refusals = new Map();

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

const WAITS_FOR_A_SIGN = new Set(['queued', 'requeued', 'restart-requested', 'incomplete']);

function changesSomething({ job, attempt, lease }: BeatAnswer): boolean {
  if (job === null || attempt > job.attempt) return false;
  // Of an attempt that was replaced, or of a job that was ended: it may have been ours to leave alone.
  if (attempt < job.attempt || FINISHED.has(job.status)) return has(job.verdictMarks, MARKS.silence);
  if (WAITS_FOR_A_SIGN.has(job.status)) return true;
  return job.status === 'processing' && (!lease || has(job.verdictMarks, MARKS.silence));
}

/** Of a claimed attempt without its token, or by whoever runs an attempt that another has followed. */
function isOutOfPlace({ job, attempt, token }: BeatAnswer, beat: Heartbeat): boolean {
  if (job === null) return false;
  return (token !== null && beat.token !== token) || (attempt < job.attempt && beat.token !== undefined);
}

function keepRefused(change: JobChange, beat: KeyedBeat, refusal: WriteRefusal): void {
  const { attempt } = beat.heartbeat;
  const { decisions } = change.job.state;
  const told = decisions.some((d) => d.kind === 'write-refused' && d.attempt === attempt && d.reason === refusal);
  if (told || change.job.known.has(beat.eventKey)) return;
  const { eventKey: key, contentHash } = beat;
  change.decide(refusedWrite(beat.heartbeat, attempt, refusal), { eventKey: key, contentHash, bodies: [], data: '' });
}

/** By job and attempt. Records of one batch may be out of order in time: two brokers' clocks differ. */
function newestOf(beats: readonly KeyedBeat[]): ReadonlyMap<string, KeyedBeat> {
  const newest = new Map<string, KeyedBeat>();
  for (const beat of beats) {
    const key = keyOf(beat.keyHex, beat.heartbeat.attempt);
    const before = newest.get(key);
    if (before === undefined || (beat.atMs ?? Infinity) >= (before.atMs ?? Infinity)) newest.set(key, beat);
  }
  return newest;
}

function keyOf(keyHex: string, attempt: number): string {
  return `${keyHex}/${String(attempt)}`;
}

/** By key: a worker may name tens of thousands of jobs in one beat. */
function statesOf(beats: readonly KeyedBeat[], answers: readonly BeatAnswer[], refusals: Refusals): BeatState[] {
  const byKey = new Map(answers.map((a) => [keyOf(a.keyHex, a.attempt), a]));
  return beats.map(({ ref, keyHex, heartbeat: { attempt } }) => {
    const key = keyOf(keyHex, attempt);
    const refusal = refusals.get(key) ?? null;
    const state = claimState(byKey.get(key));
    return { ref, attempt, state: refusal === 'superseded' && state !== 'finished' ? 'superseded' : state, refusal };
  });
}

function claimState(answer: BeatAnswer | undefined): ClaimState | undefined {
  if (answer?.job == null) return undefined;
  const { status, attempt } = answer.job;
  return claimStateOf({ status, attempt, finished: FINISHED.has(status) }, answer.attempt);
}
