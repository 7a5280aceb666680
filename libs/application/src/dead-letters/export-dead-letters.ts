import type { JobRow, ReadModels } from '../ports/read-models.port.js';

/** Rows held at once. */
const PAGE = 500;
/** Names of queues held at once. */
const QUEUES = 100;

type Reads = Pick<ReadModels, 'queues' | 'jobs'>;

/**
 * All dead letters of a queue, or of the namespace queue by queue, newest first. Holds one page, however many there are. One that
 * arrives or leaves meanwhile may be in it or not; one that is there all the time is in it exactly once.
 */
export async function* exportDeadLetters(reads: Reads, { namespace, queue }: { readonly namespace: string; readonly queue?: string }): AsyncGenerator<JobRow, void, void> {
  for await (const name of queue === undefined ? queuesWithLetters(reads, namespace) : [queue]) {
    let after: string | null = null;
    do {
      const page: Awaited<ReturnType<Reads['jobs']['deadLetters']>> = await reads.jobs.deadLetters({ namespace, queue: name }, { limit: PAGE, after });
      yield* page.items;
      after = page.next;
    } while (after !== null);
  }
}

async function* queuesWithLetters(reads: Reads, namespace: string): AsyncGenerator<string, void, void> {
  let after: string | null = null;
  do {
    const page: Awaited<ReturnType<Reads['queues']['list']>> = await reads.queues.list(namespace, { limit: QUEUES, after });
    for (const { queue, byStatus } of page.items) if (byStatus['dead-lettered'] > 0) yield queue;
    after = page.next;
  } while (after !== null);
}
