import type { ReadModels, RunStore, StoredIncident } from '#libs/application';
import { maySee, seesInstallation, type Caller } from '../auth/caller.js';
import { notFound } from '../http/problem.js';

/**
 * An incident that the caller may see. One of a queue by its namespace; one of a run where all of its queues are in namespaces
 * of the caller; anything else only with a token of every namespace.
 */
export async function visibleIncident(reads: Pick<ReadModels, 'incidents'>, runs: Pick<RunStore, 'queues'>, id: string, caller: Caller): Promise<StoredIncident> {
  const incident = await reads.incidents.one(id);
  if (incident !== null && (await visible(incident, runs, caller))) return incident;
  throw notFound('incident_unknown', 'There is no such incident.');
}

async function visible({ id, queue, kind }: StoredIncident, runs: Pick<RunStore, 'queues'>, caller: Caller): Promise<boolean> {
  if (seesInstallation(caller)) return true;
  if (queue !== null) return maySee(caller, queue.namespace);
  if (kind !== 'saturation') return false;
  const queues = await runs.queues(id);
  return queues.length > 0 && queues.every(({ namespace }) => maySee(caller, namespace));
}
