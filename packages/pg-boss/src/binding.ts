import { createClient, createEmitter, stderrLogger, type Client, type CommandConsumer, type Emitter, type JobFact, type Logger } from '@jobwarden/client';
import { createWorker, type IntakeOptions, type WorkerOptions as LeaseOptions } from '@jobwarden/worker';
import type { Job, PgBoss, WorkOptions } from 'pg-boss';
import { consumeCommands, type ConsumerOptions } from './commands/consume.js';
import { checkOwners } from './owners/check.js';
import type { Owner } from './owners/conflict.js';
import { watchBoss } from './producer/watch-boss.js';
import { verdictOf } from './worker/classify.js';
import { processor } from './worker/processor.js';
import type { JobHandler, Running } from './worker/run-job.js';

export interface PgBossOptions {
  /** Default: `createClient()`, by `JOBWARDEN_URL` and `JOBWARDEN_TOKEN`. */
  readonly client?: Client;
  /** Carries the facts. Default: one over HTTP by `client`, closed by `close`. */
  readonly emitter?: Emitter;
  /**
   * Who recovers the queues' jobs. `queue`, the default: pg-boss, by `expireInSeconds`, heartbeats and `retryLimit`; Jobwarden
   * watches, and steps in where pg-boss has not. `jobwarden`: `retryLimit` is 0, and Jobwarden's commands put jobs back. Has to
   * agree with the policy as soon as Jobwarden may act, or nothing starts ({@link OwnersError}).
   */
  readonly owner?: Owner;
  /**
   * Put the trace context of the span that is active while a job is sent into its data, under `$jobwardenTrace`: pg-boss has
   * no other place. Handlers of this binding never see it, other readers of the queue do. Default true; without OpenTelemetry
   * nothing is ever put there.
   */
  readonly carryTrace?: boolean;
  /** Of the attempts' leases: id, revision, `leaseMs`, `claims`, `onUnavailable` … `claims` is true where Jobwarden owns, unless said. */
  readonly worker?: Omit<LeaseOptions, 'client' | 'emitter' | 'logger'>;
  /**
   * What a watched pg-boss does while a queue is paused or throttled in Jobwarden. Default `whenPaused: 'ignore'`: jobs are added all the same and wait, since a
   * producer may have somebody waiting for it. `delay` waits for `maxDelayMs`, `reject` throws QueueClosedError at once.
   */
  readonly intake?: Omit<IntakeOptions, 'signal'>;
  /** Default: warnings to standard error. */
  readonly logger?: Logger;
}

/** Jobwarden for the pg-boss queues of one program. */
export interface JobwardenPgBoss {
  readonly owner: Owner;
  /**
   * Lets `send`, `sendAfter`, `sendThrottled`, `sendDebounced` and `insert` tell Jobwarden what they added; costs one read by the
   * primary key each. The same object again; idempotent. Without it the worker tells a job when it begins it.
   */
  watchBoss<B extends PgBoss>(boss: B): B;
  /** `boss.work(queue, options, handler)` whose jobs run under Jobwarden. Rejects with an OwnersError where two would recover the queue. */
  work<D = unknown, R = unknown>(queue: string, handler: JobHandler<D, R>): Promise<string>;
  work<D = unknown, R = unknown>(queue: string, options: Omit<WorkOptions, 'includeMetadata' | 'perJobResults' | 'transactional'>, handler: JobHandler<D, R>): Promise<string>;
  /** A handler for a `boss.work` that you or a framework call. With `includeMetadata: true` it spares a read per job. */
  processor<D = unknown, R = unknown>(handler: JobHandler<D, R>): (jobs: Job<D>[]) => Promise<R | undefined>;
  /** Follows the queue's commands, until it is closed. Needed once, in any program; more at once do no harm. */
  consumeCommands(queue: string, options?: ConsumerOptions): CommandConsumer;
  /** Lets running attempts end (`drain` of @jobwarden/worker), closes the consumers, and sends what is buffered. Take pg-boss's workers off first, and stop it afterwards. Idempotent. */
  close(): Promise<void>;
}

/** @param boss started before anything is run with it */
export function createPgBoss(boss: PgBoss, options: PgBossOptions = {}): JobwardenPgBoss {
  const { owner = 'queue', logger = stderrLogger } = options;
  const client = options.client ?? createClient();
  const emitter = options.emitter ?? createEmitter({ client, source: 'pg-boss', logger });
  const runner = createWorker({ claims: owner === 'jobwarden', ...options.worker, client, emitter, logger, classify: verdictOf(options.worker?.classify) });
  const tell = (fact: JobFact): void => emitter.tell(fact);
  const intake = async (queue: string, places: number): Promise<void> => await runner.intake(queue, places, { whenPaused: 'ignore', ...options.intake });
  const consumers = new Set<CommandConsumer>();
  const check = async (queue: string): Promise<void> => await checkOwners(queue, { boss, client, owner, logger });
  const running: Running = { boss, client, logger, owner, runner, tell, checked: once(check) };

  async function work<D, R>(queue: string, ...given: [WorkOptions, JobHandler<D, R>] | [JobHandler<D, R>]): Promise<string> {
    const [workOptions, handler] = given.length === 1 ? [{}, given[0]] : given;
    await running.checked(queue);
    return await boss.work<D>(queue, { ...workOptions, includeMetadata: true }, processor(running, handler));
  }
  return {
    owner,
    work,
    watchBoss: (watched) => watchBoss(watched, { owner, logger, tell, intake, carryTrace: options.carryTrace ?? true }),
    processor: (handler) => processor(running, handler),
    consumeCommands: (queue, more = {}) => {
      const consumer = consumeCommands(queue, { ...more, ...{ boss, client, owner, logger, tell, check } });
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

/** A check that was passed counts from then on; one that failed is made again. */
function once(check: (queue: string) => Promise<void>): (queue: string) => Promise<void> {
  const passed = new Map<string, Promise<void>>();
  return async (queue) => {
    const known = passed.get(queue) ?? check(queue);
    passed.set(queue, known);
    try {
      await known;
    } catch (error) {
      passed.delete(queue);
      throw error;
    }
  };
}
