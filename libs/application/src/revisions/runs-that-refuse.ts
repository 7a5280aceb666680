import { badRevision, sagaOf } from '#libs/domain';
import type { IncidentReads } from '../ports/incident-store.port.js';
import type { RevisionScope } from '../ports/refused-revision-store.port.js';

/** Runs that one queue may be in at once: more than one only by hand. */
const MOST = 100;

/**
 * Ids of the open incidents whose runs keep this release out of this queue, oldest first. One refusal stands for all of them,
 * and names the first. None where `queue` is null: runs refuse by queue.
 */
export async function runsThatRefuse(incidents: IncidentReads, { namespace, queue, revision }: RevisionScope): Promise<readonly string[]> {
  if (queue === null) return [];
  const { items } = await incidents.list({ namespaces: [namespace], queue, kind: 'saturation', status: 'open' }, { limit: MOST, after: null });
  const found: string[] = [];
  for (const { id } of items) {
    const standing = sagaOf((await incidents.one(id))?.steps ?? []);
    if (standing?.quarantined === true && badRevision(standing) === revision) found.unshift(id);
  }
  return found;
}
