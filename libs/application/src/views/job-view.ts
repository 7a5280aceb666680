import type { AnomalyView, DecisionView, JobDetail, JobSummary } from '#libs/contracts';
import {
  anomaliesOf,
  type Anomaly,
  isByHand,
  limitsOf,
  payloadOf,
  planOf,
  spreadOf,
  stateFromJson,
  viewOf,
  FINISHED,
  type Decision,
  type JobState,
  type JobView,
  type Plan,
} from '#libs/domain';
import { gapEndFor } from '../ports/lane-clock.port.js';
import type { ResolvedPolicy } from '../ports/policy-source.port.js';
import type { JobDetailRow, JobRow } from '../ports/read-models.port.js';
import { attemptViews } from './attempt-view.js';
import { erasedOf } from './erasure-view.js';
import { iso, isoOrNull } from './time.js';
import { traceOf, traceUrl } from './trace-view.js';

/**
 * A job in a list. List and detail share this, and both read the row's columns: the same row is never shown in two
 * ways, whatever the fold would make of it by now.
 */
export function jobSummary(row: JobRow): JobSummary {
  const state = stateFromJson(row.state);
  const heldBy = heldByOf(row);
  return {
    namespace: row.ref.namespace,
    queue: row.ref.queue,
    id: row.ref.id,
    kind: row.kind,
    status: row.status,
    attempt: row.attempt,
    n: row.n,
    token: viewOf(state).token,
    waitsFor: row.waitsFor,
    since: iso(row.sinceMs),
    lookAt: isoOrNull(row.lookAtMs),
    ...(heldBy !== null && { heldBy }),
  };
}

/** `traceTemplate`: `traces.url` of the policy file. */
export function jobDetail(row: JobDetailRow, policy: ResolvedPolicy, traceTemplate: string | null = null): JobDetail {
  const state = stateFromJson(row.state);
  const view = viewOf(state);
  const { queued } = state;
  const payload = payloadOf(state);
  return {
    ...jobSummary(row),
    ...(view.bearing !== null && isByHand(view.bearing.kind) && { byHand: true }),
    ...(queued !== null && { queuedAt: iso(queued.laneMs) }),
    ...tracedAs(state, traceTemplate),
    ...(payload !== undefined && { payload }),
    ...erasedOf(state),
    ...(queued?.invalidates !== undefined && {
      invalidates: { keys: [...queued.invalidates.keys], tags: [...queued.invalidates.tags] },
    }),
    maxRetries: limitsOf(state, policy.policy, policy.sources, policy.learned ?? null).maxRetries,
    attempts: attemptViews(row, state, view, planNow(row, state, view, policy)),
    decisions: state.decisions.map((d) => decisionView(d, row.evidence.get(d.n))),
    anomalies: anomaliesOf(state).map(anomalyView),
  };
}

function tracedAs(state: JobState, template: string | null): Pick<JobDetail, 'traceId' | 'traceUrl'> {
  const trace = traceOf(state);
  if (trace === null) return {};
  const url = traceUrl(template, trace.traceId);
  return { traceId: trace.traceId, ...(url !== undefined && { traceUrl: url }) };
}

/** What holds back a verdict that is due, or will be: an entry in quarantine is worth knowing before. */
function heldByOf(row: JobRow): string | null {
  return row.heldBy ?? (row.quarantined && !FINISHED.has(row.status) ? 'quarantine' : null);
}

/** Heartbeats move the lease on without touching the row, so the lease's end is worked out rather than read. */
function planNow(row: JobDetailRow, state: JobState, view: JobView, resolved: ResolvedPolicy): Plan | null {
  const { policy, sources, learned = null } = resolved;
  return planOf(
    {
      state,
      view,
      lease: row.leases.get(view.attempt) ?? null,
      policy,
      limits: limitsOf(state, policy, sources, learned),
      gapEndMs: gapEndFor(row.gaps, policy.heartbeatTransport),
      epoch: row.epoch,
      spread: (attempt) => spreadOf(row.keyHex, attempt),
    },
    row.nowMs,
  );
}

export function decisionView(decision: Decision, evidence?: Readonly<Record<string, unknown>>): DecisionView {
  const { n, kind, attempt, token, reason, by, laneMs, dueMs, payload, previousWorker } = decision;
  return {
    n,
    kind,
    attempt,
    ...(token !== undefined && { token }),
    reason,
    by,
    at: iso(laneMs),
    ...(evidence !== undefined && { evidence }),
    ...(dueMs !== undefined && { dueAt: iso(dueMs) }),
    ...(payload !== undefined && { payload }),
    ...(previousWorker !== undefined && { previousWorker }),
  };
}

function anomalyView({ code, attempt, workers }: Anomaly): AnomalyView {
  return { code, attempt, ...(workers !== undefined && { workers: [...workers] }) };
}
