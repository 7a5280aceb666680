import { RefusedCallError, tellCompleted, type Client, type EnqueueCommand, type JobView } from '@jobwarden/client';
import { again } from '../again.js';
import { unpacked } from '../carried.js';
import type { Row } from '../row.js';
import { nextStartOf, startOf } from '../start.js';
import { addAgain } from './add-again.js';
import { attemptedBy, type PutBack, type PuttingBack } from './putting-back.js';
import { rowsOf } from './rows-of.js';

/** Why Jobwarden asks by itself. What a person asked for is run again also when it is over in pg-boss. */
const BY_ITSELF: ReadonlySet<string> = new Set(['lost', 'hung', 'released', 'backoff', 'claim', 'failed', 'reset']);
/** Others may be at the same row; each of them ends what it does. */
const TRIES = 10;

/**
 * Makes a job of pg-boss of a command. Idempotent by (job, attempt, token), whoever reads it and whenever: Jobwarden is asked
 * whether the attempt is still to be begun, the row says which attempt it is, and each step on it is fenced to what was read.
 */
export async function putBack(name: string, command: EnqueueCommand, parts: PuttingBack): Promise<PutBack> {
  const job = await jobOf(parts.client, command);
  if (job === null || job.attempt !== command.data.attempt || !TO_BE_BEGUN.has(job.status)) return 'older';
  const byItself = BY_ITSELF.has(reasonOf(command, job));
  for (let tries = 0; tries < TRIES; tries += 1) {
    const outcome = await tryOnce(name, command, { ...parts, byItself });
    if (outcome !== 'taken') return outcome;
  }
  throw new Error('its row changes all the time');
}

const TO_BE_BEGUN: ReadonlySet<string> = new Set(['queued', 'requeued']);

async function jobOf(client: Client, { subject: id, data: { queue } }: EnqueueCommand): Promise<JobView | null> {
  try {
    return await client.job({ queue, id });
  } catch (error) {
    if (error instanceof RefusedCallError && error.code === 'retired') return null;
    throw error;
  }
}

/** What was read from a list does not say why. */
function reasonOf({ data: { reason } }: EnqueueCommand, { decisions }: JobView): string {
  return reason === 'reset' ? (decisions.findLast(({ kind }) => kind === 'requeued')?.reason ?? reason) : reason;
}

interface Trying extends PuttingBack {
  readonly byItself: boolean;
}

async function tryOnce(name: string, command: EnqueueCommand, parts: Trying): Promise<PutBack | 'taken'> {
  const rows = await rowsOf(parts.boss, name, command);
  for (const row of rows) {
    const outcome = await putRowBack(row, command, parts);
    if (outcome !== null) return outcome;
  }
  return await addAgain(name, command, { ...parts, like: rows.at(-1) ?? null });
}

/** null: it has to be another row. */
async function putRowBack(row: Row, command: EnqueueCommand, parts: Trying): Promise<PutBack | 'taken' | null> {
  const { boss, owner, byItself, tell, logger } = parts;
  const { subject: jobId, data } = command;
  const attempted = attemptedBy(row.name, command);
  const move = async (moved: PutBack, afterMs?: number): Promise<PutBack | 'taken'> => {
    const outcome = await again({ boss, row, attempted, ...(afterMs !== undefined && { afterMs }) });
    if (outcome === 'held-off') logger.warn(`the policy of the queue "${row.name}" lets job ${jobId} not wait now: its attempt ${String(data.attempt)} is left to the next command`);
    return outcome === 'again' ? moved : outcome;
  };
  switch (row.state) {
    case 'created':
    case 'retry':
      if (nextStartOf(row).token === data.token) return 'copy';
      // A producer's or pg-boss's own time stays.
      return unpacked(row).carried === null ? await move('noted') : await move('promoted', 0);
    case 'active':
      if (startOf(row).token === data.token) return 'copy';
      return owner === 'queue' ? 'running' : await move('put-back');
    case 'failed':
      return await move('retried', 0);
    case 'completed':
      if (!byItself) return null;
      await tellCompleted(command, { ...parts, by: 'pg-boss' });
      return 'completed';
    case 'cancelled':
      if (!byItself) return await move('retried', 0);
      tell({ type: 'cancelled', id: 'gone', queue: data.queue, jobId, data: { reason: 'cancelled in pg-boss', by: 'pg-boss' } });
      return 'cancelled';
  }
}
