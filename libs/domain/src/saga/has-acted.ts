import type { IncidentStep } from '../incident/incident.js';
import type { IncidentStepType } from '../incident/step-types.js';

const ACTS: ReadonlySet<IncidentStepType> = new Set([
  ...(['intake-throttled', 'evidence-captured', 'isolated', 'rollback-begun', 'rolled-back', 'replicas-restored'] as const),
  ...(['readmitting', 'readmission-fell-back'] as const),
]);

/**
 * Whether a run has done anything. What was announced counts as done: it may have come through though nobody had the time to
 * tell, so only where this is false may anybody rely on everything being as before.
 */
export function hasActed(steps: readonly IncidentStep[]): boolean {
  return steps.some(({ type, evidence }) => ACTS.has(type) || evidence?.['intends'] !== undefined);
}
