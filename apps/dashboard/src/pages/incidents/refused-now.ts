import type { components } from '../../api/generated/schema';

export type Revision = components['schemas']['RevisionView'];
export type Refusal = components['schemas']['RefusalView'];

/** A release that is refused now, with the workers of all queues that it was seen in. */
export interface Standing {
  readonly refusal: Refusal;
  readonly workers: number;
  readonly running: number;
}

export function standing(revisions: readonly Revision[]): readonly Standing[] {
  const found = new Map<string, Standing>();
  for (const { refused, workers, running } of revisions) {
    if (refused === null) continue;
    const before = found.get(refused.id);
    found.set(refused.id, { refusal: refused, workers: workers + (before?.workers ?? 0), running: running + (before?.running ?? 0) });
  }
  return [...found.values()];
}
