import { createClient, createEmitter, stderrLogger, type Client, type Emitter, type StopCommand } from '@jobwarden/client';
import { createWorker, type Handler, type JobWorker, type QueuedSpec, type RunResult, type WorkerOptions } from '@jobwarden/worker';
import { commandMessage, firstMessage, specOf, type JobMessage } from './job-message.js';
import { nodeHandler, type NodeHandler } from './node.js';
import { queuedFact } from './queued.js';
import { createReceiver, type Receiver, type ReceiverOptions } from './receiver.js';
import { Running } from './running.js';

export interface WebhookOptions extends Omit<ReceiverOptions, 'onEnqueue' | 'onStop'> {
  /** Default: `createClient()`, by `JOBWARDEN_URL` and `JOBWARDEN_TOKEN`. */
  readonly client?: Client;
  /** Carries the facts. Default: one over HTTP by `client`, closed by `close`. */
  readonly emitter?: Emitter;
  /** Of the attempts' leases: id, revision, `leaseMs`, `claims`, `onUnavailable` … of @jobwarden/worker. */
  readonly worker?: Omit<WorkerOptions, 'client' | 'emitter' | 'logger'>;
  /**
   * Puts an attempt into your queue: new jobs (`add`), and what Jobwarden wants run again. Within ten seconds, or it counts as
   * failed; where it rejects, it is asked for again. Called once per (job, attempt, token), as far as `deliveries` remembers.
   */
  readonly onEnqueue: (job: JobMessage) => Promise<void> | void;
  /** Takes an attempt that is not wanted any more out of your queue. What runs in this process is stopped without it. Default: nothing. */
  readonly onStop?: (command: StopCommand) => Promise<void> | void;
}

/** Jobwarden for queues that can only be told by HTTP. */
export interface Webhook extends Pick<Receiver, 'handle' | 'stats'> {
  /** `handle` for `node:http` and frameworks over it. */
  readonly node: NodeHandler;
  /** Puts a new job into your queue, then tells Jobwarden. Rejects where `onEnqueue` does; nothing is told then. */
  add(job: QueuedSpec): Promise<JobMessage>;
  /** Runs an attempt under a lease, and tells what becomes of it: `run` of @jobwarden/worker. */
  run<P = unknown, R = unknown>(job: JobMessage, handler: Handler<P, R>): Promise<RunResult<R>>;
  /** Lets running attempts end (`drain` of @jobwarden/worker), and sends what is buffered. Close your server first. Idempotent. */
  close(): Promise<void>;
}

/** @throws TypeError where a secret is none, RangeError for options of the worker that are wrong. */
export function createWebhook(options: WebhookOptions): Webhook {
  const { logger = stderrLogger, onEnqueue, onStop } = options;
  const running = new Running();
  const receiver = createReceiver({
    ...options,
    onEnqueue: (command) => onEnqueue(commandMessage(command)),
    onStop: async (command) => {
      running.stop(command);
      await onStop?.(command);
    },
  });
  const client = options.client ?? createClient();
  const emitter = options.emitter ?? createEmitter({ client, source: 'webhook', logger });
  const worker: JobWorker = createWorker({ ...options.worker, client, emitter, logger });
  return {
    handle: (request) => receiver.handle(request),
    stats: () => receiver.stats(),
    node: nodeHandler(receiver),
    add: async (job) => {
      const message = firstMessage(job);
      await onEnqueue(message);
      emitter.tell(queuedFact(job));
      return message;
    },
    run: async (job, handler) => {
      const { signal, ended } = running.begin(job);
      try {
        return await worker.run({ ...specOf(job), signal }, handler);
      } finally {
        ended();
      }
    },
    close: async () => {
      await worker.drain();
      if (options.emitter === undefined) await emitter.close();
    },
  };
}
