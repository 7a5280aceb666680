import type { Job, Processor, Worker } from 'bullmq';
import { bind } from './attempt-of.js';
import type { JobHandler, WorkerHooks } from './guarded-worker.js';
import type { Job as Attempt } from '@jobwarden/worker';
import { giveBack, type NativeStart } from './native-end.js';
import { runJob, type Handle } from './run-job.js';

/**
 * A processor for a worker that somebody else makes (`new Worker(name, processor(handler), options)`, or a framework). BullMQ
 * calls it with the worker as `this`, so the settings of that worker are checked before its first job: where two would
 * recover the queue, the job is given back, the worker paused, and the error emitted.
 */
export function processor<D, R, N extends string>(handler: JobHandler<D, R, N>, hooks: WorkerHooks): Processor<D, R, N> {
  if (typeof handler !== 'function') {
    throw new TypeError('processor() wraps a function; a sandboxed processor, a file of its own, runs by jobwarden.worker(name, file, options)');
  }
  const checks = new WeakMap<object, Promise<void>>();
  // Three parameters: BullMQ makes a signal only for those.
  return async function run(this: unknown, job: Job<D, R, N>, token?: string, signal?: AbortSignal): Promise<R> {
    const worker = workerOf(this, job);
    const native: NativeStart = { worker, job: job, lock: token ?? '' };
    const check = checks.get(worker) ?? hooks.check(worker);
    checks.set(worker, check);
    try {
      await check;
    } catch (error) {
      worker.emit('error', error as Error);
      await worker.pause(true);
      return await giveBack(native);
    }
    const handle: Handle = async (attempt, wanted) => {
      bind(job, attempt);
      return await handler(job, token ?? '', wanted, attempt as Attempt<D>);
    };
    return (await runJob(hooks.running, native, handle, signal)) as R;
  };
}

function workerOf(self: unknown, job: object): Worker {
  // A framework may call it with a `this` of its own: the job knows its worker, too.
  const candidates = [(job as { readonly queue?: unknown }).queue, self] as (Partial<Worker> | undefined)[];
  const found = candidates.find((one) => typeof one?.pause === 'function' && one.backend !== undefined);
  if (found === undefined) {
    throw new Error('processor() has to be called by a BullMQ worker, with its job; outside of one use worker.run of @jobwarden/worker');
  }
  return found as Worker;
}
