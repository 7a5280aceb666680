import type { RefusalView, RevisionView } from '#libs/contracts';
import type { RefusedRevision, SeenRevision } from '../ports/refused-revision-store.port.js';
import { iso } from './time.js';

/** What is seen, with what stands against it, and what is refused although nobody runs it. */
export function revisionViews(namespace: string, seen: readonly SeenRevision[], standing: readonly RefusedRevision[]): RevisionView[] {
  const views = seen.map(({ queue, revision, workers, running, lastMs }): RevisionView => {
    const refusal = standing.find((s) => s.revision === revision && (s.queue === null || s.queue === queue));
    return { namespace, queue, revision, workers, running, lastBeatAt: iso(lastMs), refused: refusal === undefined ? null : refusalView(refusal) };
  });
  const unseen = standing.filter(({ queue, revision }) => !seen.some((s) => s.revision === revision && (queue === null || s.queue === queue)));
  const nobody = { workers: 0, running: 0, lastBeatAt: null };
  return [...views, ...unseen.map((refusal): RevisionView => ({ namespace, queue: refusal.queue, revision: refusal.revision, ...nobody, refused: refusalView(refusal) }))];
}

export function refusalView({ id, namespace, queue, revision, reason, by, incidentId, setMs, lifted }: RefusedRevision): RefusalView {
  return {
    ...{ id, namespace, queue, revision, reason, by, at: iso(setMs) },
    ...(incidentId !== null && { incident: incidentId }),
    lifted: lifted === null ? null : { at: iso(lifted.ms), by: lifted.by, reason: lifted.reason },
  };
}
