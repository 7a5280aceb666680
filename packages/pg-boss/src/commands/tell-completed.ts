import type { Client, EnqueueCommand, JobFact, Logger } from '@jobwarden/client';

export interface Telling {
  readonly client: Client;
  readonly logger: Logger;
  readonly tell: (fact: JobFact) => void;
}

/**
 * pg-boss has completed what Jobwarden wants run again: whoever ran it died before it could say so. The grant is claimed in
 * its place and told as succeeded.
 */
export async function tellCompleted({ subject, data }: EnqueueCommand, { client, logger, tell }: Telling): Promise<void> {
  const { queue, token, attempt } = data;
  const worker = { id: 'pg-boss' };
  const claimed = await client.claim({ queue, id: subject }, { claimId: `completed/${subject}/${String(token)}`.slice(0, 255), worker, token });
  if (claimed.kind === 'refused') {
    logger.warn(`job ${subject} of ${queue} is completed in pg-boss; its attempt ${String(attempt)} was not claimed for that: ${claimed.code}`);
    return;
  }
  const said = { attempt: claimed.attempt, token: claimed.token, worker };
  tell({ type: 'succeeded', id: `completed-${String(attempt)}`, queue, jobId: subject, data: said });
}
