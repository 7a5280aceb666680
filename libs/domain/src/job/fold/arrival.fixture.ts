import type { DecisionKind } from '../events/decisions.js';
import type { FactType } from '../events/facts.js';
import type { JobEvent } from './fold.js';
import type { JobStatus } from '../view/view.js';

/** The fold that everybody writes first: the last event to arrive says where the job stands. It must fail. */
export function foldByArrival(events: Iterable<JobEvent>): string {
  let status: JobStatus = 'queued';
  for (const event of events) {
    status = (event.kind === 'fact' ? BY_FACT[event.fact.type] : BY_DECISION[event.decision.kind]) ?? status;
  }
  return status;
}

const BY_FACT: Partial<Record<FactType, JobStatus>> = {
  queued: 'queued',
  claimed: 'processing',
  started: 'processing',
  succeeded: 'succeeded',
  failed: 'failed',
};

const BY_DECISION: Partial<Record<DecisionKind, JobStatus>> = {
  'retry-scheduled': 'retrying',
  'held-incomplete': 'incomplete',
  'restart-requested': 'restart-requested',
  'restart-withdrawn': 'processing',
  requeued: 'requeued',
  'dead-lettered': 'dead-lettered',
  cancelled: 'cancelled',
  discarded: 'discarded',
  'resolved-by-hand': 'succeeded',
};
