import type { Incident, Run, Step } from './incident-queries';

export type StageName =
  | 'opened' | 'cause' | 'approval' | 'would-have' | 'throttled' | 'evidence' | 'isolated'
  | 'rollback' | 'restored' | 'verified' | 'calm' | 'readmitting' | 'end';

/** `stopped`: a person has to go on here. `passed`: not needed, and the step says why. `skipped`: it is over without. */
export type StageState = 'done' | 'now' | 'ahead' | 'passed' | 'stopped' | 'skipped';

export interface Stage {
  readonly name: StageName;
  readonly state: StageState;
  /** The step that ended it; null: there is none. */
  readonly step: Step | null;
  /** Everything that was told while it went on, that step included. */
  readonly steps: readonly Step[];
  /** When it began: with the end of the one before. null: it has not. */
  readonly since: string | null;
}

const ENDED_BY: Readonly<Record<StageName, readonly Step['type'][]>> = {
  opened: ['opened'],
  cause: ['cause-assessed'],
  approval: ['approved'],
  'would-have': ['would-have'],
  throttled: ['intake-throttled'],
  evidence: ['evidence-captured'],
  isolated: ['isolated'],
  rollback: ['rolled-back'],
  restored: ['replicas-restored'],
  verified: ['verified'],
  calm: [],
  readmitting: ['readmitting', 'readmission-fell-back'],
  end: ['resolved'],
};

const AT: Partial<Record<Run['phase'], StageName>> = {
  assessing: 'cause',
  'waiting-for-approval': 'approval',
  'would-have': 'would-have',
  throttling: 'throttled',
  'capturing-evidence': 'evidence',
  isolating: 'isolated',
  'rolling-back': 'rollback',
  'restoring-replicas': 'restored',
  verifying: 'verified',
  'waiting-for-calm': 'calm',
  readmitting: 'readmitting',
  closing: 'end',
  'putting-back': 'end',
  aborting: 'end',
};

interface Plan {
  readonly does?: unknown;
  readonly throttles?: unknown;
  readonly needsApproval?: unknown;
  readonly held?: unknown;
}

/** The way of a run: what is behind it, where it stands, what is to come by its plan. */
export function stagesOf({ steps, run, status }: Incident): readonly Stage[] {
  const names: readonly StageName[] = run === undefined ? ['opened', 'end'] : namesOf(steps, run);
  const now = status === 'resolved' || run === undefined ? null : currentOf(run, names, steps);
  let before: Step | null = null;
  let behind = true;
  return names.map((name): Stage => {
    const step: Step | null = steps.findLast(({ type }) => ENDED_BY[name].includes(type)) ?? null;
    const since = before?.at ?? null;
    const from = before?.n ?? 0;
    const isNow = name === now;
    const state = stateOf({ name, step, isNow, behind: behind && !isNow, run, over: status === 'resolved' });
    if (isNow) behind = false;
    const until = isNow ? Infinity : (step?.n ?? 0);
    const told = steps.filter(({ n }) => n > from && n <= until);
    if (step !== null && step.n > from) before = step;
    return { name, state, step, steps: told, since };
  });
}

function stateOf(at: { readonly name: StageName; readonly step: Step | null; readonly isNow: boolean; readonly behind: boolean; readonly run: Run | undefined; readonly over: boolean }): StageState {
  const { name, step, isNow, behind, run, over } = at;
  if (isNow) return run?.phase === 'escalated' ? 'stopped' : 'now';
  if (step !== null && (behind || over)) return typeof step.evidence?.['passedOver'] === 'string' ? 'passed' : 'done';
  if (!over && (!behind || run === undefined)) return 'ahead';
  return name === 'calm' ? 'done' : 'skipped';
}

/** An escalated run stands at the first thing that it has not done. */
function currentOf(run: Run, names: readonly StageName[], steps: readonly Step[]): StageName | null {
  if (run.phase !== 'escalated') {
    const at = AT[run.phase] ?? 'end';
    return names.includes(at) ? at : 'end';
  }
  const missing = names.find((name) => name !== 'calm' && !steps.some(({ type }) => ENDED_BY[name].includes(type)));
  return missing ?? 'end';
}

function namesOf(steps: readonly Step[], run: Run): readonly StageName[] {
  const told = (type: Step['type']): boolean => steps.some((step) => step.type === type);
  const plan = (steps.findLast(({ type }) => type === 'cause-assessed')?.evidence?.['plan'] ?? {}) as Plan;
  const { does } = plan;
  const watches = run.drill || run.dryRun || typeof plan.held === 'string' || told('would-have');
  const asks: readonly StageName[] = plan.needsApproval === true || told('approval-requested') || told('approved') ? ['approval'] : [];
  const throttles: readonly StageName[] = plan.throttles === true || told('intake-throttled') ? ['throttled'] : [];
  const readmits: readonly StageName[] = throttles.length > 0 ? ['readmitting'] : [];
  if (watches) return ['opened', ...(run.drill ? [] : (['cause'] as const)), 'would-have', ...throttles, 'calm', ...readmits, 'end'];
  switch (does) {
    case 'roll-back':
      return ['opened', 'cause', ...asks, ...throttles, 'evidence', 'isolated', ...(run.target === null ? [] : (['rollback', 'restored'] as const)), 'verified', ...readmits, 'end'];
    case 'dead-letter':
      return ['opened', 'cause', ...asks, ...throttles, 'isolated', 'verified', ...readmits, 'end'];
    case 'throttle':
      return ['opened', 'cause', ...asks, ...throttles, 'calm', ...readmits, 'end'];
    default:
      return ['opened', 'cause', 'end'];
  }
}
