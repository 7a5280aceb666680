import type { RunResult } from '@jobwarden/worker';
import { UnrecoverableError } from 'bullmq';
import type { Start } from '../grant.js';
import { failForGood, giveBack, putAside, type NativeStart } from './native-end.js';
import type { Running } from './run-job.js';
import { standAside } from './stand-aside.js';

export interface Ended {
  readonly queue: string;
  readonly start: Start;
  readonly result: RunResult;
}

/** While nobody said when to ask again, ms: a command lets the job go sooner. */
const ASK_AGAIN_MS = 5_000;

/**
 * How an attempt's end shows in BullMQ.
 *
 *   succeeded             completed, with its value
 *   parked                as the handler has moved it
 *   failed                the queue owns: BullMQ retries or fails it. Jobwarden owns: put aside until it is retried, which is
 *                         what BullMQ's own backoff looks like; failed at once where no retry will follow
 *   its release refused   back to the front for others, and this worker takes nothing until it is let in again
 *   refused, stopped      finished: as Jobwarden has it. drain: back to the front. anything else: put aside
 */
export async function endNatively(running: Running, native: NativeStart, { queue, start, result }: Ended): Promise<unknown> {
  const { owner } = running;
  switch (result.kind) {
    case 'succeeded':
      return result.value;
    case 'parked':
      throw result.error;
    case 'failed':
      if (owner === 'queue') throw result.error;
      if (!result.retryable) return failForGood(native, result.error);
      return await putAside(native, result.retryAfterMs ?? ASK_AGAIN_MS, textOf(result.error));
    case 'refused':
      if (result.code === 'draining') return await leave(native);
      if (result.code === 'finished' || result.code === 'retired') return await asJobwardenHasIt(running, native, queue, start);
      if (result.code === 'revision_quarantined' && queue === native.worker.name) return await standAside(running.runner, native);
      return await putAside(native, result.retryAfterMs ?? ASK_AGAIN_MS, start.heldFor ?? '');
    case 'stopped':
      if (result.reason === 'drain') return await leave(native);
      if (result.reason === 'finished' || result.reason === 'stop') return await asJobwardenHasIt(running, native, queue, start);
      if (result.reason === 'revision-quarantined' && queue === native.worker.name) return await standAside(running.runner, native);
      return await putAside(native, ASK_AGAIN_MS, result.reason);
  }
}

/** This process is about to end: it must not take the job again. */
async function leave(native: NativeStart): Promise<never> {
  await native.worker.pause(true);
  return await giveBack(native);
}

/** Another attempt has succeeded: so has the native job, without a result. Anything else ended it without one. */
async function asJobwardenHasIt(running: Running, native: NativeStart, queue: string, { runId, heldFor }: Start): Promise<unknown> {
  const status = await running.statusOf(queue, runId);
  if (status === 'succeeded') return null;
  // Nobody answered, or it goes on after all: ask again later, rather than fail what may be run.
  if (status === null || !FINISHED.has(status)) return await putAside(native, ASK_AGAIN_MS, heldFor ?? '');
  throw new UnrecoverableError(`Jobwarden: ${status}${heldFor === null || heldFor === '' ? '' : `; ${heldFor}`}`);
}

const FINISHED: ReadonlySet<string> = new Set(['dead-lettered', 'cancelled', 'discarded', 'retired']);

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
