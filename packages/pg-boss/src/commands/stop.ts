import type { Client, StopCommand } from '@jobwarden/client';
import type { PgBoss } from 'pg-boss';
import { affectedBy } from '../row.js';
import { rowIdsOf } from './rows-of.js';

/** `stopped`: a row that had not ended is cancelled. `none`: nothing to do. */
export type Stopped = 'stopped' | 'none';

const OVER: ReadonlySet<string> = new Set(['cancelled', 'dead-lettered', 'discarded']);

/**
 * A stop of a job that is over: its row is cancelled, so that nobody fetches it, and what a worker says of it afterwards is
 * not taken. Whoever runs it learns it by the worker's own ways.
 */
export async function stop(name: string, command: StopCommand, boss: PgBoss, client: Client): Promise<Stopped> {
  const job = await client.job({ queue: command.data.queue, id: command.subject });
  if (job === null || !OVER.has(job.status)) return 'none';
  return affectedBy(await boss.cancel(name, [...rowIdsOf(command)])) > 0 ? 'stopped' : 'none';
}
