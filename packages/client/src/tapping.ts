// What every tap on a queue needs of Jobwarden's side: room for what it reads, and what is known of its runs.
import type { Client, JobsQuery } from './client.js';
import type { Emitter } from './emitter/emitter.js';
import { UnreachableError } from './errors.js';

/** Above so many events that nobody has acknowledged, nothing more is read: the stream keeps what comes. */
const ENOUGH = 4_000;
const LOOK_MS = 20;

/** Resolves when there is room for more, or when `signal` is aborted. */
export async function room(emitter: Pick<Emitter, 'stats'>, signal: AbortSignal): Promise<void> {
  while (emitter.stats().buffered > ENOUGH && !signal.aborted) await pause(LOOK_MS, signal);
}

export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await new Promise<void>((resolve) => {
    const done = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal.addEventListener('abort', done, { once: true });
  });
}

/** A run that Jobwarden takes for unfinished. */
export interface KnownRun {
  readonly id: string;
  readonly attempt: number;
}

/** What has not ended as far as its queue goes; `failed` waits for the queue's own retry. */
const UNFINISHED = ['queued', 'processing', 'restart-requested', 'failed', 'retrying', 'requeued', 'incomplete'] as const;

type Page = Awaited<ReturnType<Client['jobs']>>;

export interface Asking {
  readonly signal: AbortSignal;
  /** Nobody answers, and it is asked again: until then nothing is read of the queue. */
  readonly away: (why: string) => void;
}

/** Jobwarden's unfinished runs of a queue, in pages. */
export async function* unfinishedRuns(client: Pick<Client, 'jobs'>, queue: string, asking: Asking): AsyncGenerator<readonly KnownRun[]> {
  for (const status of UNFINISHED) {
    let next: string | null = null;
    do {
      const query: JobsQuery = { queue, status, limit: 200, ...(next !== null && { next }) };
      const page: Page | null = await patiently(() => client.jobs(query, { signal: asking.signal }), asking);
      // Whoever may not ask has to do without.
      if (page === null) return;
      if (page.items.length > 0) yield page.items;
      next = page.next;
    } while (next !== null);
  }
}

/** Nobody answers: again. null: it is refused, or the tap ends. */
async function patiently<T>(call: () => Promise<T>, { signal, away }: Asking): Promise<T | null> {
  while (!signal.aborted) {
    try {
      return await call();
    } catch (error) {
      if (!(error instanceof UnreachableError)) return null;
      away(`Jobwarden cannot be reached, and is asked again what it takes for unfinished: ${error.message}`);
      await pause(1_000, signal);
    }
  }
  return null;
}
