import { takeIn, type Fact } from '#libs/domain';
import { JobChange, type FactExtras } from '../log/job-change.js';
import type { LockedBatch, LockedJob, PositionLookup, WriteSet } from '../ports/log-store.port.js';
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
): WriteSet<readonly FactOutcome[]> {
  const changes = new Map<string, JobChange>();
  const seen = new Map<string, string>();
  const outcomes = items.map((item): ((positions: PositionLookup) => FactOutcome) => {
    const job = locked.jobs.get(item.keyHex);
    if (job === undefined) return () => TOO_OLD;
    const repeat = repeatOf(item, job, seen);
    if (repeat !== null) return repeat;
    let change = changes.get(item.keyHex);
    if (change === undefined) changes.set(item.keyHex, (change = new JobChange(job, locked, policies)));
    return addFact(item, change, locked);
  });
  return {
    writes: [...changes.values()].filter((c) => c.changed).map((c) => c.finish()),
    result: (positions) => outcomes.map((outcome) => outcome(positions)),
  };
}

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

/** A repeat is known from the log, or from earlier in this batch; null for a new event. */
function repeatOf(
  item: FactItem,
  job: LockedJob,
  seen: Map<string, string>,
): ((positions: PositionLookup) => FactOutcome) | null {
  const hash = item.parsed.contentHash.toString('hex');
  const known = job.known.get(item.eventKey);
  if (known !== undefined) {
    const { position } = known;
    return known.contentHashHex === hash ? () => ({ outcome: 'duplicate', position }) : () => ID_REUSED;
  }
  const key = `${item.keyHex}/${item.eventKey}`;
  const earlier = seen.get(key);
  if (earlier === undefined) {
    seen.set(key, hash);
    return null;
  }
  if (earlier !== hash) return () => ID_REUSED;
  return (positions) => ({ outcome: 'duplicate', position: positions(item.keyHex, item.eventKey) });
}

function addFact(
  item: FactItem,
  change: JobChange,
  locked: LockedBatch,
): (positions: PositionLookup) => FactOutcome {
  const { policy, levels } = change.policy;
  const fact = stamped(item, locked, policy.owner === 'queue');
  const intake = takeIn(change.job.state, fact, { stopsAllowed: levels.requeue === 'act' || endedByHand(change) });
  const extras: FactExtras = {
    eventKey: item.eventKey,
    contentHash: item.parsed.contentHash,
    bodies: item.parsed.bodies,
    data: item.parsed.data,
  };
  if (intake.outcome === 'accepted') {
    change.addFact(intake.fact, extras);
    for (const draft of intake.then) change.decide(draft);
  } else {
    change.decide(intake.draft, extras);
  }
  const refusal = intake.outcome === 'refused' ? intake.refusal : null;
  return (positions) => {
    const position = positions(item.keyHex, item.eventKey);
    if (refusal === null) return { outcome: 'appended', position };
    return { outcome: 'refused', code: refusal, detail: REFUSALS[refusal], position };
  };
}

const REFUSALS = {
  superseded: 'a newer grant of this job was redeemed: stop this attempt; the write is kept and changes nothing',
  void: 'the request names an attempt that a newer one has replaced: send it without `attempt` to cancel the job',
} as const;

function endedByHand(change: JobChange): boolean {
  const { bearing } = change.view;
  return bearing !== null && change.view.finished && bearing.by !== 'jobwarden';
}

function stamped(item: FactItem, locked: LockedBatch, ownerQueue: boolean): Fact {
  const { fact } = item.parsed;
  return {
    ...fact,
    laneMs: locked.laneMs,
    ...(locked.epoch > 0 && { epoch: locked.epoch }),
    ...(ownerQueue && fact.type !== 'queued' && fact.type !== 'cancelled' && { ownerQueue }),
  };
}
