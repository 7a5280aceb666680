import { jobKey } from '#libs/contracts';
import type { Queryable } from '../database.js';
import { QUEUES } from './job-statements.js';

export interface NamedJobs {
  readonly namespace: string;
  readonly queue?: string;
  readonly id?: string;
}

/** Keys of the jobs with this id in the queues meant, whether they are there or not; null where no id is asked for. */
export async function keysNamed(database: Queryable, { namespace, queue, id }: NamedJobs): Promise<readonly Buffer[] | null> {
  if (id === undefined) return null;
  const queues = await database.query<{ readonly namespace: string; readonly queue: string }>(QUEUES, [namespace, queue ?? null]);
  return queues.map((found) => jobKey({ namespace: found.namespace, queue: found.queue, id }));
}
