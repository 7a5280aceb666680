import type { Client, EnqueueCommand, EnqueueCommandData, JobFact, Logger } from '@jobwarden/client';
import type { PgBoss } from 'pg-boss';
import type { Attempted } from '../again.js';
import type { Owner } from '../owners/conflict.js';

/**
 * What became of a command.
 *
 * `put-back`: the job was active under a worker that is lost, and waits again. `retried`: it had failed, and waits again.
 * `promoted`: we had put it aside, and it waits again. `noted`: it waits already, or comes by itself. `completed`: pg-boss
 * has its result, so it is not run again. `cancelled`: somebody has cancelled it in pg-boss, and Jobwarden is told.
 * `added`: its row was gone, and there is a new one. `copy`, `older`: done before, or not wanted any more. `running`: pg-boss
 * owns the queue, and has not given it up. `held-off`: the policy of the queue (`short`, `stately` …) lets no other of its kind
 * wait now. `no-payload`: it is gone, and nothing to add it with.
 */
export type PutBack =
  | 'put-back'
  | 'retried'
  | 'promoted'
  | 'noted'
  | 'completed'
  | 'cancelled'
  | 'added'
  | 'copy'
  | 'older'
  | 'running'
  | 'held-off'
  | 'no-payload';

export interface PuttingBack {
  readonly boss: PgBoss;
  readonly client: Client;
  readonly owner: Owner;
  readonly logger: Logger;
  readonly tell: (fact: JobFact) => void;
}

/** What the row says from now on. */
export function attemptedBy(native: string, { subject: jobId, data }: EnqueueCommand): Attempted {
  const { queue, attempt, token } = data;
  const command = Object.fromEntries(Object.entries(data).filter(([name]) => name !== 'payload')) as unknown as EnqueueCommandData;
  return { jobId, attempt, token, command, ...(queue !== native && { queue }) };
}
