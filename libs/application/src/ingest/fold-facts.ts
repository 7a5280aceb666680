import { claimStateOf, takeIn, viewOf, type ClaimState, type Fact, type JobView, type Refusal } from '#libs/domain';
import { JobChange, type FactExtras } from '../log/job-change.js';
import type { LockedBatch, LockedJob, Position, PositionLookup, WriteSet } from '../ports/log-store.port.js';
import type { PolicySource } from '../ports/policy-source.port.js';
import type { FactItem, FactOutcome } from './fact-item.js';

/**
 * Folds a batch of facts into locked rows, in the order they came: repeats are answered, a reused id is told apart from
 * one, what is late becomes a decision, and the rest is appended. No I/O; may run again when the transaction does.
 */
export function foldFacts(
  items: readonly FactItem[],
  locked: LockedBatch,
  policies: PolicySource,
): FoldedFacts {
  let quarantines = false;
  const jobs = new Map<string, Folding>();
  const outcomes = items.map((item): Outcome => {
    const job = locked.jobs.get(item.keyHex);
    if (job === undefined) {
      quarantines = true;
      return () => TOO_OLD;
    }
    let folding = jobs.get(item.keyHex);
    const repeat = repeatOf(item, job, folding?.taken ?? NOTHING_TAKEN);
    if (repeat !== null) {
      if (repeat === reused) quarantines = true;
      return repeat;
    }
    if (folding === undefined) jobs.set(item.keyHex, (folding = { change: new JobChange(job, locked, policies), taken: [] }));
    return addFact(item, folding, locked);
  });
  return {
    writes: [...jobs.values()].filter((j) => j.change.changed).map((j) => j.change.finish()),
    result: (positions) => outcomes.map((outcome) => outcome(positions)),
    quarantines,
  };
}

export interface FoldedFacts extends WriteSet<readonly FactOutcome[]> {
  /** Some of the facts have to be kept in quarantine, as their outcomes will say. */
  readonly quarantines: boolean;
}

type Outcome = (positions: PositionLookup) => FactOutcome;

interface Folding {
  readonly change: JobChange;
  /** What this batch has brought of the job so far: a few events, mostly one. */
  readonly taken: FactItem[];
}
const NOTHING_TAKEN: readonly FactItem[] = [];

const TOO_OLD: FactOutcome = {
  outcome: 'quarantined',
  code: 'too_old',
  detail: 'the job lies below the retention line: its events are gone, only a summary is left',
};

const ID_REUSED: FactOutcome = {
  outcome: 'quarantined',
  code: 'id_reused',
  detail: 'this (source, id) was used for another event of the job: give every event an id of its own',
};

const reused: Outcome = () => ID_REUSED;

/** A repeat is known from the log, or from earlier in this batch; null for a new event. */
function repeatOf(item: FactItem, job: LockedJob, taken: readonly FactItem[]): Outcome | null {
  const { eventKey, keyHex } = item;
  const known = job.known.get(eventKey);
  if (known !== undefined) {
    const { position, refusal } = known;
    if (known.contentHashHex !== item.parsed.contentHash.toString('hex')) return reused;
    const state = stateOf(item.parsed.fact, viewOf(job.state));
    return () => (refusal === null ? { outcome: 'duplicate', position, ...state } : refusedAs(refusal, position));
  }
  const earlier = taken.find((t) => t.eventKey === eventKey);
  if (earlier === undefined) return null;
  if (!earlier.parsed.contentHash.equals(item.parsed.contentHash)) return reused;
  return (positions) => ({ outcome: 'duplicate', position: positions(keyHex, eventKey) });
}

function addFact(item: FactItem, { change, taken }: Folding, locked: LockedBatch): Outcome {
  const { eventKey, keyHex, parsed } = item;
  const { contentHash, bodies, data, redacted } = parsed;
  taken.push(item);
  const fact = stamped(item, locked, change.policy.policy.owner === 'queue');
  const intake = takeIn(change.job.state, fact, {
    stopsAllowed: mayBeToldToStop(fact, change),
    tokensRequired: change.policy.policy.claims === 'required',
    epoch: locked.epoch,
  });
  const extras: FactExtras = { eventKey, contentHash, bodies, data, ...(redacted.length > 0 && { redacted }) };
  if (intake.outcome === 'accepted') {
    change.addFact(intake.fact, extras);
    for (const draft of intake.then) change.decide(draft);
  } else {
    change.decide(intake.draft, extras);
  }
  const refusal = intake.outcome === 'refused' ? intake.refusal : null;
  const state = stateOf(fact, change.view);
  return (positions) => {
    const position = positions(keyHex, eventKey);
    return refusal === null ? { outcome: 'appended', position, ...state } : refusedAs(refusal, position);
  };
}

/** Whoever begins an attempt is told at once where it stands: the first heartbeat may be long to come. */
function stateOf(fact: Pick<Fact, 'type'> & { readonly attempt?: number }, view: JobView): { readonly state?: ClaimState } {
  if (fact.type !== 'started' && fact.type !== 'claimed') return {};
  return { state: claimStateOf(view, fact.attempt ?? 1) };
}

function refusedAs(code: string, position: Position | null): FactOutcome {
  const detail = (REFUSALS as Readonly<Record<string, string>>)[code] ?? 'it was refused before';
  return { outcome: 'refused', code, detail, position, ...(code === 'superseded' && { state: 'superseded' }) };
}

/** For people; the heartbeat's answer uses them too. */
export const REFUSALS: Readonly<Record<Refusal, string>> = {
  superseded: 'a newer grant of this job was redeemed: stop this attempt; the write is kept and changes nothing',
  token_unknown: 'nobody was given this token for this attempt: send the one that the claim answered, and its `attempt`; the write is kept and changes nothing',
  token_required: 'the attempt was claimed: send the token that the claim answered; the write is kept and changes nothing',
  void: 'the request names an attempt that a newer one has replaced: send it without `attempt` to cancel the job',
};

/** A start after the end: of a job that was ended by hand at every level, else where requeues go out. */
function mayBeToldToStop(fact: Fact, change: JobChange): boolean {
  if (fact.type !== 'started' && fact.type !== 'claimed') return false;
  if (change.policy.levels.requeue === 'act') return true;
  const { bearing, finished } = change.view;
  return bearing !== null && finished && bearing.by !== 'jobwarden';
}

function stamped(item: FactItem, locked: LockedBatch, ownerQueue: boolean): Fact {
  const { fact } = item.parsed;
  const stamps: { laneMs: number; epoch?: number; ownerQueue?: boolean } = { laneMs: item.atMs ?? locked.laneMs };
  if (locked.epoch > 0) stamps.epoch = locked.epoch;
  if (ownerQueue && fact.type !== 'queued' && fact.type !== 'cancelled') stamps.ownerQueue = true;
  return { ...fact, ...stamps };
}
