import type { Client } from '../client.js';
import type { EnqueueCommand } from '../contract.js';
import type { JobFact } from '../emitter/fact.js';
import type { Logger } from '../logger.js';

export interface Completed {
  readonly client: Client;
  readonly logger: Logger;
  readonly tell: (fact: JobFact) => void;
  /** Whose word it is: the queue, in place of a worker. */
  readonly by: string;
}

/**
 * A queue has completed what Jobwarden wants run again: whoever ran it died before it could say so. The grant is claimed in its
 * place and told as succeeded, each time under the same ids. A refused claim is logged.
 * @throws UnreachableError, RefusedCallError
 */
export async function tellCompleted({ subject, data }: EnqueueCommand, { client, logger, tell, by }: Completed): Promise<void> {
  const { queue, token, attempt } = data;
  const worker = { id: by };
  const claimed = await client.claim({ queue, id: subject }, { claimId: `completed/${subject}/${String(token)}`.slice(0, 255), worker, token });
  if (claimed.kind === 'refused') {
    logger.warn(`job ${subject} of ${queue} is completed in ${by}; its attempt ${String(attempt)} was not claimed for that: ${claimed.code}`);
    return;
  }
  const said = { attempt: claimed.attempt, token: claimed.token, worker };
  tell({ type: 'succeeded', id: `completed-${String(attempt)}`, queue, jobId: subject, data: said });
}
