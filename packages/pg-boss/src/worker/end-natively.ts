import { setTimeout as delay } from 'node:timers/promises';
import { statusOf, type Client, type Logger } from '@jobwarden/client';
import type { JobWorker, RunResult } from '@jobwarden/worker';
import type { PgBoss } from 'pg-boss';
import { again } from '../again.js';
import type { Row } from '../row.js';
import type { Start } from '../start.js';

export interface Ending {
  readonly boss: PgBoss;
  readonly client: Client;
  readonly logger: Logger;
  readonly runner: Pick<JobWorker, 'run' | 'admitted'>;
}

/** One start of a native job, to be ended in pg-boss. */
export interface NativeStart {
  readonly row: Row;
  readonly start: Start;
}

/** While nobody said when to ask again, ms: a command lets the job go sooner. */
const ASK_AGAIN_MS = 5_000;

/**
 * How an attempt's end shows in pg-boss. What it resolves to is the job's output; what it throws, pg-boss fails the job with.
 *
 *   succeeded             completed, with its value
 *   failed                failed: pg-boss retries it where it owns the queue, and Jobwarden's command brings it back where that does
 *   its release refused   back for others at once, and this worker of pg-boss fetches nothing for a while
 *   refused, stopped      finished: as Jobwarden has it. drain: back for others. anything else: put aside
 *
 * Each step is fenced to this start: where another has begun meanwhile, nothing is changed.
 */
export async function endNatively(ending: Ending, native: NativeStart, result: RunResult): Promise<unknown> {
  switch (result.kind) {
    case 'succeeded':
      return result.value;
    case 'failed':
    case 'parked':
      throw result.error;
    case 'refused':
      if (result.code === 'draining') return await leave(ending, native);
      if (result.code === 'finished' || result.code === 'retired') return await asJobwardenHasIt(ending, native);
      if (result.code === 'revision_quarantined') return await standAside(ending, native);
      return await putAside(ending, native, result.retryAfterMs ?? ASK_AGAIN_MS);
    case 'stopped':
      if (result.reason === 'drain') return await leave(ending, native);
      if (result.reason === 'finished' || result.reason === 'stop') return await asJobwardenHasIt(ending, native);
      if (result.reason === 'revision-quarantined') return await standAside(ending, native);
      return await putAside(ending, native, ASK_AGAIN_MS);
  }
}

/** This process is about to end: it must not take the job again. */
async function leave(ending: Ending, native: NativeStart): Promise<null> {
  await ending.boss.offWork(native.row.name, { wait: false });
  return await putAside(ending, native, 0);
}

/**
 * The job is there for others at once. Whatever fetched it is kept from fetching until this release is let in again, or for so
 * long: `boss.offWork` waits for it. pg-boss takes nothing that this start says any more, so it may end whenever it likes.
 */
async function standAside(ending: Ending, native: NativeStart): Promise<null> {
  const { row, start } = native;
  // Of another queue's job, which has come here by its fallback.
  if (start.queue !== row.name) return await putAside(ending, native, ASK_AGAIN_MS);
  await putAside(ending, native, 0);
  const kept = new AbortController();
  const over = AbortSignal.any([kept.signal, row.signal]);
  await Promise.race([ending.runner.admitted(start.queue), delay(ASK_AGAIN_MS, undefined, { signal: over }).catch(() => undefined)]);
  kept.abort();
  return null;
}

/** Another attempt has succeeded: so has the native job, without a result. Anything else ended it without one. */
async function asJobwardenHasIt(ending: Ending, native: NativeStart): Promise<unknown> {
  const { row, start } = native;
  const status = await statusOf(ending.client, { queue: start.queue, id: start.jobId });
  if (status === 'succeeded') return null;
  // Nobody answered, or it goes on after all: ask again later, rather than end what may be run.
  if (status === null || !FINISHED.has(status)) return await putAside(ending, native, ASK_AGAIN_MS);
  await ending.boss.cancel(row.name, row);
  return null;
}

const FINISHED: ReadonlySet<string> = new Set(['dead-lettered', 'cancelled', 'discarded', 'retired']);

/** The same attempt again, after a while. It counts as no failure, and uses none of pg-boss's retries. */
async function putAside({ boss, logger }: Ending, { row, start }: NativeStart, ms: number): Promise<null> {
  const { queue, jobId, attempt, token, command } = start;
  const attempted = { jobId, attempt, ...(queue !== row.name && { queue }), ...(token !== undefined && { token }), ...(command !== undefined && { command }) };
  if ((await again({ boss, row, attempted, afterMs: ms })) !== 'held-off') return null;
  logger.warn(`job ${jobId} of "${row.name}" cannot be put aside, since the queue's policy lets no other of its kind wait now: it fails in pg-boss`);
  throw new Error('put aside by Jobwarden, and the policy of the queue lets it not wait');
}
