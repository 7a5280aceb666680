import type { DeadLetterStanding } from '#libs/application';
import type { Metrics } from '#libs/observability';

/** How many lie there, since when, and since when nobody has looked. A queue without any is absent. */
export function setDeadLetters(metrics: Metrics, standing: readonly DeadLetterStanding[]): void {
  metrics.deadLetters.replace(standing.map(({ queue, letters }) => [{ queue }, letters] as const));
  metrics.deadLetterOldest.replace(standing.map(({ queue, oldestMs }) => [{ queue }, oldestMs / 1_000] as const));
  metrics.deadLetterUnreviewed.replace(standing.map(({ queue, unreviewedMs }) => [{ queue }, (unreviewedMs ?? 0) / 1_000] as const));
}
