import type { RunSummary, RunView } from '#libs/contracts';
import { CAUSES, hasActed, JOBWARDEN, phaseOf, runOf, sagaOf } from '#libs/domain';
import type { ListedRun, StoredIncident } from '../ports/incident-store.port.js';
import type { RunQueue } from '../ports/run-store.port.js';
import { isoOrNull } from './time.js';

const SHOWN_QUEUES = 1_000;

/** The run of an incident of saturation; null: it is none. */
export function saturationRunView({ kind, steps }: StoredIncident, queues: readonly RunQueue[]): RunView | null {
  const standing = kind === 'saturation' ? runOf(steps) : null;
  if (standing === null) return null;
  const { phase, waitsFor, untilMs } = phaseOf(standing);
  const { target, source, dryRun } = standing.about;
  const told = steps.findLast((step) => step.type === 'approval-requested' || step.type === 'would-have')?.evidence?.['plan'];
  const cause = standing.cause?.cause ?? null;
  return {
    ...{ phase, waitsFor, until: isoOrNull(untilMs), target, source, dryRun, drill: standing.about.drill === true },
    cause: CAUSES.find((known) => known === cause) ?? null,
    blamed: standing.cause?.subject ?? null,
    plan: Array.isArray(told) ? told.map(String) : null,
    acted: hasActed(steps),
    code: standing.escalated?.code ?? null,
    queues: [...queues]
      .sort((a, b) => Number(b.saturated) - Number(a.saturated))
      .slice(0, SHOWN_QUEUES)
      .map(({ namespace, queue, saturated, sharePercent, normalPerSecond }) => ({ namespace, queue, saturated, percent: sharePercent, normalPerSecond })),
  };
}

const TAKES: ReadonlySet<string> = new Set(['approved', 'aborted', 'resolved']);

/** Of a list: where it stands, and who has it. null: it is no run. */
export function runSummary({ steps, queues, queueCount }: ListedRun): RunSummary | null {
  const standing = sagaOf(steps);
  if (standing === null) return null;
  const { phase, waitsFor, untilMs } = phaseOf(standing);
  const { target, source, dryRun, drill } = standing.about;
  return {
    ...{ phase, waitsFor, until: isoOrNull(untilMs), target, source, dryRun, drill: drill === true },
    blamed: standing.cause?.subject ?? null,
    code: standing.escalated?.code ?? null,
    takenBy: steps.findLast(({ type, by }) => TAKES.has(type) && by !== JOBWARDEN)?.by ?? null,
    queues: [...queues],
    queueCount,
  };
}
