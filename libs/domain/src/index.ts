// What happened: facts from outside, decisions from inside, and who they are about.
export * from './job/events/job-ref.js';
export * from './job/events/facts.js';
export * from './job/events/decisions.js';
export * from './job/events/token.js';
export * from './job/events/event-codes.js';

// What becomes of a fact in the log, decided under the row's lock.
export * from './job/intake/intake.js';
export * from './job/intake/write-refusal.js';
export * from './job/intake/beat.js';

// Who may run it: one grant is redeemed by one claim.
export * from './job/claim/claim.js';
export * from './job/claim/claim-state.js';

// The row: a join of its events.
export * from './job/fold/state.js';
export * from './job/fold/fold.js';
export { sameWorker } from './job/fold/fold-starts.js';
export * from './job/fold/state-json.js';
export type { StateCodec } from './job/fold/state-codec.js';

// What the row says.
export * from './job/view/view.js';
export * from './job/view/erased.js';
export * from './job/view/payload.js';
export * from './job/view/overlap.js';
export * from './job/view/visibility-gaps.js';
export * from './job/view/anomalies.js';
export * from './job/view/contribution.js';
export { pairsTable } from './job/view/pairs.js';

// What it waits for, and what is decided when that is over.
export * from './policy/queue-policy.js';
export type { ReadmitPolicy } from './policy/readmit-policy.js';
export * from './policy/promotion.js';
export * from './policy/learned-threshold.js';
export * from './job/plan/limits.js';
export * from './job/plan/plan.js';
export { leaseEndMs } from './job/plan/lease.js';
export { stopsOf } from './job/plan/plan-finished.js';
export { deadLetter } from './job/plan/plan-rerun.js';
export { POISON_PILL } from './job/plan/poison.js';
export * from './job/plan/spread.js';

// What a person has to look at: a stream of its own.
export * from './incident/step-types.js';
export * from './incident/incident.js';
export { boundedEvidence } from './incident/bounded-evidence.js';
export * from './incident/page.js';

// An exercise, which never acts.
export * from './drill/drill.js';

// How a saturated pool is taken through isolation, rollback and readmission: a pure function of the incident's steps.
export * from './saga/run-policy.js';
export * from './saga/step-evidence.js';
export * from './saga/standing.js';
export { hasActed } from './saga/has-acted.js';
export { runOf, sagaOf } from './saga/saga-of.js';
export * from './saga/seen.js';
export type { SagaAct, SagaMove } from './saga/moves.js';
export { nextMove } from './saga/next-move.js';
export { afterAct, type ActOutcome } from './saga/after-act.js';
export { looksFor, type Looks } from './saga/looks-for.js';
export { CALLS_OF_A_WRITE } from './saga/act-of.js';
export { TRIES, WRITES_WITHIN_MS } from './saga/deadlines.js';
export { phaseOf, RUN_PHASES, type PhaseOfRun, type RunPhase } from './saga/phase-of.js';

// What keeps recovery from making it worse.
export * from './guard/token-bucket.js';
export * from './guard/blackout.js';
export * from './guard/probing.js';

// What jobs die of.
export { messageMatcher } from './dead-letter/message-matcher.js';
export * from './dead-letter/pattern.js';

// A worker pool and the release it runs: what is gone back to, and how it is known to be out.
export * from './rollout/workload.js';
export * from './rollout/schema-range.js';
export * from './rollout/choose-release.js';
export * from './rollout/snapshot.js';
export * from './rollout/rolled-out.js';
export * from './rollout/gone.js';
export * from './rollout/conflict.js';

// What goes wrong, and why.
export * from './cause/outcome-counts.js';
export * from './cause/window.js';
export * from './cause/assessment.js';
export { badAttemptsOf, type BadAttemptsOf } from './cause/bad-attempts.js';
export { assess } from './cause/assess.js';
export { causeOfSubject, causeSubject } from './cause/common/common-cause.js';
export { commonCauses, type CauseCase } from './cause/common/common-causes.js';
export { joinedWindows } from './cause/common/slices.js';
export { healthyRevisions, type HealthyRevision } from './cause/healthy-revisions.js';

// That a queue has gone critical: the rule, and what keeps a signal from leading to anything.
export * from './signal/signal.js';
export * from './signal/saturation.js';
export * from './signal/maintenance.js';
export * from './signal/cool-down.js';

// What is left to say of an incident when it is over.
export * from './postmortem/facts.js';
export { postmortemOf, type AnsweredItem, type Postmortem } from './postmortem/postmortem.js';
export { beganMs, type EndedIn } from './postmortem/began.js';
export { POSTMORTEM_ITEMS } from './postmortem/checklists.js';
export { jobPath, postmortemMarkdown } from './postmortem/markdown.js';

// Whether a canary is as good as stable.
export * from './gate/gate-policy.js';
export * from './gate/gate-window.js';
export * from './gate/verdict.js';
export { judgeCanary } from './gate/judge-canary.js';
export * from './gate/select-window.js';

export { howMany, howManyOf, verb } from './words/how-many.js';
