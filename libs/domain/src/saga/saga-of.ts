import type { IncidentStep } from '../incident/incident.js';
import { ISOLATED_LOOKS } from '../rollout/gone.js';
import { ROLL_BACK_WITHIN_MS } from './deadlines.js';
import type { SagaStanding } from './standing.js';
import type {
  CauseEvidence,
  Intent,
  IntentName,
  NoteEvidence,
  ReadmitEvidence,
  RollbackBegunEvidence,
  RolledBackEvidence,
  RunAbout,
} from './step-evidence.js';
import { isUnreadable } from './unreadable.js';

type Changes = Partial<Omit<SagaStanding, 'n' | 'lastMs'>>;

/** Looks at zero that are kept: the last ones decide. */
const KEPT_LOOKS = ISOLATED_LOOKS * 3;

/** null: no steps, or an incident that is none of saturation. */
export function sagaOf(steps: readonly IncidentStep[]): SagaStanding | null {
  const [first] = steps;
  if (first === undefined || !isAbout(first.evidence)) return null;
  return steps.reduce<SagaStanding>(
    (standing, step) => ({ ...standing, ...changesOf(standing, step), n: step.n, lastMs: step.atMs }),
    begun(first, first.evidence),
  );
}

/** The same of an incident that is known to be one of saturation, also where its first step no longer says what it is about; null: no steps. */
export function runOf(steps: readonly IncidentStep[]): SagaStanding | null {
  const [first, ...others] = steps;
  if (first === undefined || isAbout(first.evidence)) return sagaOf(steps);
  const standing = sagaOf([{ ...first, evidence: { ...NOTHING_KNOWN } }, ...others]);
  if (standing === null) return null;
  // What was written to is known from before the first write: there is something to put back.
  const target = standing.snapshot?.target ?? null;
  return { ...standing, about: { ...standing.about, target }, unreadable: { n: first.n, type: first.type } };
}

const NOTHING_KNOWN: RunAbout = { target: null, namespace: 'default', queues: [], queueCount: 0, source: 'signal', revision: null, dryRun: false };

/** Of a step that cannot be read nothing is believed; the first one is kept, for whoever has to go on. */
function changesOf(s: SagaStanding, step: IncidentStep): Changes {
  return isUnreadable(step) ? { unreadable: s.unreadable ?? { n: step.n, type: step.type } } : changes(s, step);
}

function isAbout(evidence: unknown): evidence is RunAbout {
  return typeof evidence === 'object' && evidence !== null && 'queueCount' in evidence && 'source' in evidence;
}

function begun({ atMs, n }: IncidentStep, about: RunAbout): SagaStanding {
  return {
    ...{ n, lastMs: atMs, openedMs: atMs, about, cause: null, assessments: 0, approval: null, approved: false, wouldHave: false },
    ...{ intent: null, faults: [], lookFault: null, throttledMs: null, lifted: false, evidence: null, quarantined: false, isolatedLate: false, isolatedMs: null },
    ...{ snapshot: null, scaled: false, zero: null, rollback: null, rolledBackMs: null, restoredMs: null, putBack: false, verifiedMs: null, readmit: null },
    ...{ held: false, goesOnMs: atMs, unreadable: null, toTell: null, escalated: null, aborted: null, over: false, keepsThrottle: false },
  };
}

function changes(s: SagaStanding, step: IncidentStep): Changes {
  const { n, atMs, type, by } = step;
  const evidence: unknown = step.evidence ?? {};
  switch (type) {
    case 'noted':
      return noted(s, step, evidence as NoteEvidence);
    case 'cause-assessed': {
      const { cause, subject, plan } = evidence as CauseEvidence;
      return { cause: { cause, subject, atMs, plan }, assessments: s.assessments + 1 };
    }
    case 'approval-requested':
      return { approval: { n, deadlineMs: (evidence as { deadlineMs: number }).deadlineMs } };
    case 'approved':
      return { ...anew(s, atMs), approval: null, approved: s.approved || knowsWhat(s), escalated: null };
    case 'would-have':
      return { wouldHave: true };
    case 'intake-throttled':
      return { ...DONE, throttledMs: atMs };
    case 'evidence-captured':
      return { ...DONE, evidence: (evidence as { outcome: string }).outcome };
    case 'isolated':
      return { ...DONE, isolatedMs: atMs };
    case 'rollback-begun':
      return rollbackBegun(s, step, evidence as RollbackBegunEvidence);
    case 'rolled-back': {
      const { written = null } = evidence as RolledBackEvidence;
      return { ...DONE, rolledBackMs: atMs, rollback: s.rollback === null ? null : { ...s.rollback, written } };
    }
    case 'replicas-restored':
      return { ...DONE, restoredMs: atMs };
    case 'verified':
      return { ...DONE, verifiedMs: atMs };
    case 'readmitting':
    case 'readmission-fell-back': {
      const { step: index, falls } = evidence as ReadmitEvidence;
      return { ...begins('set-share', n, atMs, Infinity), readmit: { step: index, sinceMs: atMs, falls } };
    }
    case 'escalated':
      return { ...DONE, toTell: null, escalated: { n, code: (evidence as { code?: string }).code ?? 'unknown' } };
    case 'aborted':
      return { ...DONE, aborted: { by }, approval: null, escalated: null, toTell: null };
    case 'resolved':
      return { over: true, keepsThrottle: (evidence as { keepsThrottle?: boolean }).keepsThrottle === true };
    case 'opened':
      return {};
  }
}

/** Who lets it look again for the cause has not approved of what that leads to. */
function knowsWhat({ cause }: SagaStanding): boolean {
  return cause !== null && cause.plan.does !== 'nothing';
}

const DONE = { intent: null, faults: [] } as const;

function noted(s: SagaStanding, { n, atMs }: IncidentStep, note: NoteEvidence): Changes {
  if (note.intends !== undefined) {
    const { intends, deadlineMs = atMs, because = null, snapshot } = note;
    return {
      ...begins(intends, n, atMs, deadlineMs, because),
      ...(snapshot !== undefined && { snapshot: s.snapshot ?? snapshot }),
      ...(intends === 'scale-to-zero' && { scaled: true, putBack: false }),
      ...(intends === 'isolate' && { quarantined: true }),
    };
  }
  if (note.fault !== undefined) return s.intent?.n === note.fault.n ? { faults: [...s.faults, note.fault] } : {};
  if (note.lookFault !== undefined) return { lookFault: note.lookFault === null ? null : { code: note.lookFault, sinceMs: atMs } };
  if (note.zeroLook !== undefined && s.zero !== null) return { zero: { ...s.zero, looks: [...s.zero.looks, note.zeroLook].slice(-KEPT_LOOKS) } };
  if (note.runsOn !== undefined) return { ...DONE, isolatedLate: true };
  // Nothing was done meanwhile, so what was announced has lost its time: it is announced anew.
  if (note.held !== undefined) return note.held ? { held: true } : { ...anew(s, atMs), held: false };
  switch (note.did) {
    case 'scale-to-zero':
      return { ...DONE, zero: { atMs, looks: [] } };
    case 'put-back':
    case 'release-scaler':
      return { ...DONE, putBack: true, scaled: false, zero: null, toTell: s.intent?.because ?? null };
    case 'lift':
      return { ...DONE, lifted: true };
    default:
      return {};
  }
}

function rollbackBegun(s: SagaStanding, { n, atMs }: IncidentStep, { snapshot, release, deadlineMs }: RollbackBegunEvidence): Changes {
  const begun = (s.rollback?.begun ?? 0) + 1;
  return {
    ...begins('roll-back', n, atMs, deadlineMs),
    ...{ snapshot: s.snapshot ?? snapshot, rollback: { release, deadlineMs, begun, written: null } },
    ...{ rolledBackMs: null, restoredMs: null, verifiedMs: null, putBack: false },
  };
}

/** Goes on where it stands, with the whole time for each thing again. */
function anew(s: SagaStanding, atMs: number): Changes {
  const rollback = s.rollback === null || s.restoredMs !== null ? s.rollback : { ...s.rollback, deadlineMs: atMs + ROLL_BACK_WITHIN_MS };
  return { ...DONE, rollback, goesOnMs: atMs, lookFault: null, assessments: 0, readmit: null, lifted: false, toTell: null };
}

function begins(does: IntentName, n: number, atMs: number, deadlineMs: number, because: Intent['because'] = null): Changes {
  return { intent: { does, n, atMs, deadlineMs, because }, faults: [] };
}
