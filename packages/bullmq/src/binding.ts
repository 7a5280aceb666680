import { createClient, createEmitter, statusOf, stderrLogger, type Client, type CommandConsumer, type Emitter, type JobFact, type Logger } from '@jobwarden/client';
import { createWorker, type IntakeOptions, type WorkerOptions as LeaseOptions } from '@jobwarden/worker';
import type { FlowProducer, Processor, Queue, Worker, WorkerOptions } from 'bullmq';
import { consumeCommands, type ConsumerOptions } from './commands/consume.js';
import { OwnerCheck } from './owners/check.js';
import type { Owner } from './owners/conflict.js';
import { watchFlows } from './producer/watch-flows.js';
import { watchQueue, type Producing } from './producer/watch-queue.js';
import { verdictOf } from './worker/classify.js';
import { GuardedWorker, type JobHandler, type WorkerHooks } from './worker/guarded-worker.js';
import { processor } from './worker/processor.js';
import { tellWhatQueueGaveUp } from './worker/queue-gave-up.js';
import type { Running } from './worker/run-job.js';

export interface BullmqOptions {
  /** Default: `createClient()`, by `JOBWARDEN_URL` and `JOBWARDEN_TOKEN`. */
  readonly client?: Client;
  /** Carries the facts. Default: one over HTTP by `client`, closed by `close`. */
  readonly emitter?: Emitter;
  /**
   * Who recovers the queues' jobs. `queue`, the default: BullMQ, by its stall check and `attempts`; Jobwarden watches, and
   * steps in where BullMQ has not. `jobwarden`: BullMQ's own recovery is off, and Jobwarden's commands put jobs back. Has to
   * agree with the policy as soon as Jobwarden may act, or nothing starts ({@link OwnersError}).
   */
  readonly owner?: Owner;
  /** Of the attempts' leases: id, revision, `leaseMs`, `claims`, `onUnavailable` … `claims` is true where Jobwarden owns, unless said. */
  readonly worker?: Omit<LeaseOptions, 'client' | 'emitter' | 'logger'>;
  /**
   * What watched queues and flow producers do while a queue is paused or throttled in Jobwarden. Default `whenPaused: 'ignore'`: jobs are added all the same and wait, since a
   * producer may have somebody waiting for it. `delay` waits for `maxDelayMs`, `reject` throws QueueClosedError at once.
   */
  readonly intake?: Omit<IntakeOptions, 'signal'>;
  /** Default: warnings to standard error. */
  readonly logger?: Logger;
}

/** Jobwarden for the BullMQ queues of one program. */
export interface Bullmq {
  readonly owner: Owner;
  /** Lets the queue's `add` and `addBulk` tell Jobwarden what they added. The same object again; idempotent. */
  watchQueue<Q extends Queue>(queue: Q): Q;
  /** The same for the trees of a flow producer. */
  watchFlows<F extends FlowProducer>(flows: F): F;
  /**
   * `new Worker(name, processor, options)` whose jobs run under Jobwarden. `processor` is a function or, for a sandbox, a file.
   * Emits `error` with an OwnersError, and `run` and `waitUntilReady` reject with it, where two would recover the queue.
   */
  worker<D = unknown, R = unknown, N extends string = string>(
    name: string,
    processor: string | URL | JobHandler<D, R, N>,
    options: WorkerOptions,
  ): Worker<D, R, N>;
  /** A processor for a worker that you or a framework make. Its settings are checked before its first job. */
  processor<D = unknown, R = unknown, N extends string = string>(handler: JobHandler<D, R, N>): Processor<D, R, N>;
  /** Follows the queue's commands, until it is closed. Needed once, in any program; more at once do no harm. */
  consumeCommands(queue: Queue, options?: ConsumerOptions): CommandConsumer;
  /** Lets running attempts end (`drain` of @jobwarden/worker), closes the consumers, and sends what is buffered. Close BullMQ's workers first. Idempotent. */
  close(): Promise<void>;
}

export function createBullmq(options: BullmqOptions = {}): Bullmq {
  const { owner = 'queue', logger = stderrLogger } = options;
  const client = options.client ?? createClient();
  const emitter = options.emitter ?? createEmitter({ client, source: 'bullmq', logger });
  const runner = createWorker({ claims: owner === 'jobwarden', ...options.worker, client, emitter, logger, classify: verdictOf(options.worker?.classify) });
  const tell = (fact: JobFact): void => emitter.tell(fact);
  const producing: Producing = { owner, tell, intake: (queue, places) => runner.intake(queue, places, { whenPaused: 'ignore', ...options.intake }) };
  const check = new OwnerCheck({ client, owner, logger });
  const consumers = new Set<CommandConsumer>();
  const running: Running = { owner, runner, tell, statusOf: (queue, id) => statusOf(client, { queue, id }) };
  const hooks: WorkerHooks = {
    owner,
    running,
    check: async (worker) => {
      tellWhatQueueGaveUp(worker, tell);
      await check.of(worker);
    },
  };
  return {
    owner,
    watchQueue: (queue) => watchQueue(queue, producing),
    watchFlows: (flows) => watchFlows(flows, producing),
    worker: (name, given, workerOptions) => new GuardedWorker(name, given, workerOptions, hooks),
    processor: (handler) => processor(handler, hooks),
    consumeCommands: (queue, more = {}) => {
      const consumer = consumeCommands(queue, { ...more, ...{ client, owner, logger, tell }, check: (of) => check.of(of) });
      consumers.add(consumer);
      return consumer;
    },
    close: async () => {
      await Promise.all([...consumers].map((consumer) => consumer.close()));
      await runner.drain();
      if (options.emitter === undefined) await emitter.close();
    },
  };
}
