import type { IncidentStepDraft } from '../incident/incident.js';
import { JOBWARDEN } from '../job/events/decisions.js';
import type { WorkloadWritten } from '../rollout/workload.js';
import type { Evidence, SagaAct } from './moves.js';
import type { LookFault } from './seen.js';
import { letIn } from './stages/throttle.js';
import type { SagaStanding } from './standing.js';
import type { IncidentStepType } from '../incident/step-types.js';
import { howMany } from '../words/how-many.js';

/** What came of an act. */
export type ActOutcome =
  | { readonly fault: LookFault }
  /** `generation`: of the target, after a write. `figures`: what stands after it. */
  | { readonly done: { readonly changed: boolean; readonly generation?: number; readonly figures?: Evidence } };

/** The step that tells what came of an act; null: the next look shows it. */
export function afterAct(s: SagaStanding, act: SagaAct, outcome: ActOutcome, nowMs: number): IncidentStepDraft | null {
  if (s.intent === null) return null;
  if ('fault' in outcome) {
    const { code, detail, retryAfterMs } = outcome.fault;
    return draft('noted', `it could not be done: ${detail}`, { fault: { n: s.intent.n, code, detail, atMs: nowMs, retryAfterMs } });
  }
  const { changed, generation = 0, figures = {} } = outcome.done;
  const after = { ...figures, changed };
  switch (act.does) {
    case 'set-share':
      if (s.intent.does !== 'throttle') return null;
      return draft('intake-throttled', letIn(s.about.queueCount, `in ${String(act.percent)} % of what is normal`), { after: { ...after, percent: act.percent } });
    case 'lift':
      return draft('noted', 'the queues let everything in again, as before', { did: 'lift', after });
    case 'dead-letter':
      return draft('isolated', `the job ${act.job} is out of the way`, { after });
    case 'quarantine':
    case 'capture-evidence':
      return null;
    case 'write':
      return afterWrite(s, changed, generation, nowMs);
  }
}

function afterWrite(s: SagaStanding, changed: boolean, generation: number, nowMs: number): IncidentStepDraft | null {
  const name = s.about.target ?? 'the target';
  const after = { changed, generation };
  const replicas = s.snapshot?.replicas ?? 0;
  switch (s.intent?.does) {
    case 'scale-to-zero':
      return draft('noted', `${name} is scaled to 0`, { did: 'scale-to-zero', after });
    case 'put-back':
      return draft('noted', `${name} has its ${howMany(replicas, 'replica')} again`, { did: 'put-back', after });
    case 'release-scaler':
      return draft('noted', `the scaler of ${name} goes on`, { did: 'release-scaler', after });
    case 'roll-back': {
      if (s.rollback === null) return null;
      const { id, revision } = s.rollback.release;
      const written: WorkloadWritten = { releaseId: id, revision, replicas, generation, atMs: nowMs };
      return draft('rolled-back', `${name} has the release of ${revision ?? id}, and is to have ${howMany(replicas, 'replica')}`, { written, after });
    }
    default:
      return null;
  }
}

function draft(type: IncidentStepType, reason: string, evidence: Evidence): IncidentStepDraft {
  return { type, by: JOBWARDEN, reason, evidence };
}
