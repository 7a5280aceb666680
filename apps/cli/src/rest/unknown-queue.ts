import { EXIT, type ExitCode } from '../exit-codes.js';
import { nearest } from '../terminal/nearest.js';
import { printable } from '../terminal/table.js';
import type { Context } from '../terminal/terminal.js';
import type { ServiceClient } from './client.js';

/**
 * Nothing was found in a queue: says so where there is no such queue, with the one that may have been meant, and what the
 * command ends with. Nothing found in a name that was mistyped would read as all clear. null: the queue is there.
 */
export async function unknownQueue(client: Pick<ServiceClient, 'get'>, { namespace, queue }: { readonly namespace?: string | undefined; readonly queue?: string | undefined }, context: Context): Promise<ExitCode | null> {
  if (queue === undefined) return null;
  const answer = await client.get('v1/queue', { namespace, queue });
  if (answer.kind !== 'problem' || answer.code !== 'queue_unknown') return null;
  const listed = await client.get('v1/queues', { namespace, limit: '1000' });
  const names = listed.kind === 'ok' ? (listed.body as { readonly items: readonly { readonly queue: string }[] }).items.map((item) => item.queue) : [];
  const near = nearest(queue, names);
  const hint = near !== null ? ` Did you mean ${near}?` : names.length > 0 ? ` There are ${names.slice(0, 10).join(', ')}.` : ' There is none yet.';
  context.terminal.err(printable(`No event has named the queue ${queue}.${hint}`));
  return EXIT.refused;
}
