import type { Level, Plan, Planned } from '#libs/domain';
import type { RecoveryGuards } from '../guards/recovery-guards.js';
import { JobChange } from '../log/job-change.js';
import { weigh, type Weighed } from './approvals.js';
import { readingFor, type LaneReading } from '../ports/lane-clock.port.js';
import type { Held, JobWrite, LockedBatch, LockedJob } from '../ports/log-store.port.js';
import type { PolicySource } from '../ports/policy-source.port.js';
import type { ReconciliationRow } from '../ports/reconciliation-store.port.js';
import { mayProveWrong, refusedRow, silenceOf, verdictOf } from './verdicts.js';

/** How far the lanes had been read before the rows were locked. */
export interface LookContext {
  readonly reading: LaneReading;
  readonly policies: PolicySource;
  /** This replica lets nothing out, or the switch for all of them is off. */
  readonly actionsEnabled: boolean;
}

export interface Look {
  readonly write: JobWrite;
  readonly row: ReconciliationRow | null;
  /** A guard keeps it back from now on: told once. */
  readonly keptBack?: boolean;
}

/** A held job is looked at again after this long, ms. */
const HELD_AGAIN_MS = 500;
/** Nearly every deadline is held for a moment, until the lanes have been read up to it: so soon as long as it is one. */
const READ_AGAIN_MS = 100;
/** Whoever resumes a queue brings up what the pause has held: this is for what somebody was at in that moment. */
const PAUSED_AGAIN_MS = 10_000;
const PAUSED = 'paused';
/** Held longer than two looks: unresolved. */
export const UNRESOLVED_AFTER_MS = 2 * HELD_AGAIN_MS;

/**
 * Looks at one due job under its row's and lease's lock, and decides, records a would-have, reports, or holds.
 *
 * The plan is made anew on what is locked: a job that came to life since it was found due just gets its new date. After
 * an act the look ends; what follows from it is another look.
 */
export function lookAt(job: LockedJob, locked: LockedBatch, context: LookContext, guards: RecoveryGuards): Look {
  const change = new JobChange(job, locked, context.policies);
  const plan = change.plan(dueBefore(job, locked));
  if (plan === null || plan.dueMs > locked.laneMs) return notDue(change, locked);
  const held = heldBy(change, plan, locked, context);
  if (held !== null) return hold(change, plan, held, locked);
  if (change.policy.gate?.gate === PAUSED) {
    const waits = waitForResume(change, plan, locked);
    if (waits !== null) return waits;
  }
  const weighed = weigh(change, plan, levelOf(change, plan.planned), locked.laneMs);
  if (plan.planned.kind === 'report') return report(change, plan, locked, weighed);
  const kept = guards.keepBack(change, plan, weighed.approval === null ? levelOf(change, plan.planned) : 'act');
  if (kept !== null) return { ...hold(change, plan, kept.by, locked, kept.lookAtMs), keptBack: job.heldBy !== kept.by };
  return decide(change, plan, plan.planned, weighed);
}

/** Reports are spaced out from now on: the one that this look is for is the next one of just before it was due. */
function dueBefore(job: LockedJob, locked: LockedBatch): number {
  return job.dueMs === null ? locked.laneMs : Math.min(job.dueMs, locked.laneMs) - 1;
}

function heldBy(change: JobChange, plan: Plan, locked: LockedBatch, context: LookContext): string | null {
  if (plan.gated) {
    const read = readingFor(context.reading, change.policy.policy.heartbeatTransport);
    if (plan.dueMs > read.readMs) return `lane:${read.heldBy}`;
  }
  if (plan.planned.kind === 'report') return null;
  if (change.job.quarantined) return 'quarantine';
  return locked.actionsEnabled && context.actionsEnabled ? null : 'actions_off';
}

/** Nothing is due any more: whoever has approved something is told. */
function notDue(change: JobChange, locked: LockedBatch): Look {
  const { settled, refusal } = weigh(change, null, 'observe', locked.laneMs);
  return { write: change.finish({ settled }), row: refusal === null ? null : refusedRow(change, refusal) };
}

function hold(change: JobChange, plan: Plan, by: string, locked: LockedBatch, lookAtMs = locked.laneMs + againMs(by, locked.laneMs - plan.dueMs)): Look {
  const held: Held = { by, sinceMs: plan.dueMs };
  const { settled } = weigh(change, plan, levelOf(change, plan.planned), locked.laneMs);
  const expired = settled.filter((s) => s.state === 'expired');
  const write = change.finish({ held, lookAtMs, settled: expired });
  const heldMs = locked.laneMs - plan.dueMs;
  const unresolved = heldMs > UNRESOLVED_AFTER_MS;
  return { write, row: { ...rowOf(change, plan, levelOf(change, plan.planned)), outcome: 'held', heldBy: by, heldMs, unresolved } };
}

function againMs(by: string, heldMs: number): number {
  if (by === PAUSED) return PAUSED_AGAIN_MS;
  return by.startsWith('lane:') && heldMs < UNRESOLVED_AFTER_MS ? READ_AGAIN_MS : HELD_AGAIN_MS;
}

/** While its queue is paused, no job is put back into it, and the clock of those that wait for a start stands. */
function waitForResume(change: JobChange, plan: Plan, locked: LockedBatch): Look | null {
  const { planned } = plan;
  if (planned.kind === 'report') {
    return { write: change.finish({ lookAtMs: locked.laneMs + Math.max(planned.threshold.ms, HELD_AGAIN_MS) }), row: null };
  }
  if (!planned.drafts.some(({ kind }) => kind === 'requeued' || kind === 'republished')) return null;
  return hold(change, plan, PAUSED, locked);
}

function report(change: JobChange, plan: Plan, locked: LockedBatch, { settled }: Weighed): Look {
  const row = { ...rowOf(change, plan, 'observe'), outcome: 'reported' as const };
  change.addVerdict(verdictOf(row, { kind: 'report', state: 'shown', confirmAfterMs: null }));
  // The plan of a moment later is the next report's date.
  const next = change.plan(locked.laneMs);
  return { write: change.finish({ settled, ...(next !== null && { lookAtMs: next.dueMs }) }), row };
}

function decide(change: JobChange, plan: Plan, planned: Extract<Planned, { kind: 'decide' }>, weighed: Weighed): Look {
  const level = levelOf(change, planned);
  const row = rowOf(change, plan, level);
  if (level === 'act' || weighed.approval !== null) return act(change, planned, row, weighed);
  const { settled, refusal } = weighed;
  if (planned.silent === true) return { write: change.finish({ resting: true, settled }), row: null };
  const told: ReconciliationRow = refusal === null ? { ...row, outcome: 'would-have' } : { ...row, outcome: 'refused', refusal };
  // What has expired stands as it is, and can be approved again; whatever else is due is said anew.
  if (refusal !== 'expired') {
    const state = level === 'approve' ? 'proposed' : 'shown';
    change.addVerdict(verdictOf(row, { kind: 'would-have', state, confirmAfterMs: silenceOf(change, row) }));
  }
  return { write: change.finish({ resting: true, settled }), row: told };
}

function act(
  change: JobChange,
  { drafts }: Extract<Planned, { kind: 'decide' }>,
  row: ReconciliationRow,
  { approval, settled }: Weighed,
): Look {
  if (mayProveWrong(row)) {
    change.addVerdict(verdictOf(row, { kind: 'act', state: 'decided', confirmAfterMs: silenceOf(change, row) }));
  }
  if (approval === null) {
    for (const draft of drafts) change.decide(draft);
    return { write: change.finish({ settled }), row: { ...row, outcome: 'decided' } };
  }
  const { verdictId, by, why } = approval;
  for (const draft of drafts) {
    change.decide({ ...draft, evidence: { ...draft.evidence, approval: { verdictId, by, reason: why } } });
  }
  const done = { verdictId, state: 'decided' as const, refusal: null };
  return { write: change.finish({ settled: [...settled, done] }), row: { ...row, outcome: 'decided', approvedBy: by } };
}

/** What nobody's level governs (asked for by hand, or a withdrawal) goes ahead. */
function levelOf(change: JobChange, planned: Planned): Level {
  if (planned.kind === 'report') return 'observe';
  return planned.action === null ? 'act' : change.policy.levels[planned.action];
}

function rowOf(change: JobChange, plan: Plan, level: Level): ReconciliationRow {
  const { planned } = plan;
  const attempt = change.view.attempt;
  return {
    ref: change.job.ref,
    attempt,
    outcome: 'held',
    verdict: planned.verdict ?? null,
    reason: planned.kind === 'report' ? planned.verdict : planned.reason,
    decisions: planned.kind === 'report' ? [] : planned.drafts.map((d) => d.kind),
    threshold: planned.threshold ?? null,
    action: planned.kind === 'report' ? null : planned.action,
    level,
    worker: change.job.state.attempts.get(attempt)?.starts[0]?.worker.id ?? null,
    dueMs: plan.dueMs,
    heldBy: null,
    heldMs: null,
    unresolved: false,
  };
}
