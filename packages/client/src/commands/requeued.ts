import type { Client } from '../client.js';
import type { EnqueueCommand } from '../contract.js';

/**
 * What Jobwarden wants run and nobody has begun, as if its commands came now: for a reader of commands that may have missed
 * some (`onReset`). The reason is `reset`, and the payload is not in the list.
 * @throws UnreachableError, RefusedCallError
 */
export async function requeuedCommands(client: Client, queue: string): Promise<readonly EnqueueCommand[]> {
  const found: EnqueueCommand[] = [];
  for (let next: string | null | undefined; next !== null; ) {
    const page = await client.jobs({ queue, status: 'requeued', limit: 1_000, ...(next !== undefined && { next }) });
    for (const { id, attempt, token, n, kind } of page.items) {
      const data = { queue, attempt, token, n, reason: 'reset', ...(kind !== null && { kind }) };
      found.push({ specversion: '1.0', id: `reset/${id}`, source: 'jobwarden', subject: id, type: 'jobwarden.command.enqueue.v1', data });
    }
    next = page.next;
  }
  return found;
}
