import type { Job as Attempt } from '@jobwarden/worker';
import { Worker, type Job, type Processor, type WorkerOptions } from 'bullmq';
import type { Owner } from '../owners/conflict.js';
import { attemptOf, bind } from './attempt-of.js';
import { runJob, type Handle, type Running } from './run-job.js';

/**
 * A handler as BullMQ has it, with the attempt as fourth argument. `signal` is also aborted when the attempt is not wanted
 * any more.
 */
export type JobHandler<D = unknown, R = unknown, N extends string = string> = (
  job: Job<D, R, N>,
  token: string,
  signal: AbortSignal,
  attempt: Attempt<D>,
) => Promise<R>;

export interface WorkerHooks {
  readonly running: Running;
  /** Rejects where two would recover the queue. */
  check(worker: Worker): Promise<void>;
  readonly owner: Owner;
}

/** What it says in BullMQ's options about its own recovery, where the caller said nothing. */
export function ownRecovery(owner: Owner): Partial<WorkerOptions> {
  return owner === 'jobwarden' ? { skipStalledCheck: true, maxStalledCount: 0 } : {};
}

/** A BullMQ worker whose jobs run under Jobwarden: functions and sandboxed processors alike. */
export class GuardedWorker<D = unknown, R = unknown, N extends string = string> extends Worker<D, R, N> {
  private readonly hooks: WorkerHooks;
  private readonly checked: Promise<void>;

  constructor(name: string, processor: string | URL | JobHandler<D, R, N>, options: WorkerOptions, hooks: WorkerHooks) {
    const given = typeof processor === 'function' ? handed<D, R, N>(processor) : processor;
    super(name, given, { ...ownRecovery(hooks.owner), ...options, autorun: false });
    this.hooks = hooks;
    // BullMQ makes a signal only where the processor asks for one.
    (this as unknown as { processorAcceptsSignal: boolean }).processorAcceptsSignal = true;
    this.checked = hooks.check(this as unknown as Worker);
    this.checked.catch(() => undefined);
    if (options.autorun !== false) this.run().catch((error: unknown) => this.emit('error', error as Error));
  }

  /** Rejects with an OwnersError, and begins nothing, where BullMQ and Jobwarden would both recover the queue. */
  override async run(): Promise<void> {
    await this.checked;
    await super.run();
  }

  /** Rejects as `run` does. */
  override async waitUntilReady(): Promise<void> {
    await this.checked;
    await super.waitUntilReady();
  }

  protected override async callProcessJob(job: Job<D, R, N>, lock: string, signal?: AbortSignal): Promise<R> {
    const handle: Handle = async (attempt, wanted) => {
      bind(job, attempt);
      return await super.callProcessJob(job, lock, wanted);
    };
    const native = { worker: this as unknown as Worker, job: job as unknown as Job, lock };
    return (await runJob(this.hooks.running, native, handle, signal)) as R;
  }
}

function handed<D, R, N extends string>(handler: JobHandler<D, R, N>): Processor<D, R, N> {
  return async (job, token, signal) => {
    const attempt = attemptOf(job);
    if (attempt === undefined || token === undefined || signal === undefined) throw new Error('the handler was called from outside of its worker');
    return await handler(job, token, signal, attempt as Attempt<D>);
  };
}
