import { createClient, createEmitter, stderrLogger, type Client, type CommandConsumer, type Emitter, type Logger } from '@jobwarden/client';
import { createWorker, type WorkerOptions as LeaseOptions } from '@jobwarden/worker';
import type { Consumer, EachMessageHandler } from 'kafkajs';
import { consumeCommands, type ConsumerOptions } from './commands/consume.js';
import { watchLag, type LagOptions } from './lag.js';
import { OwnerCheck } from './owners/check.js';
import type { Owner } from './owners/conflict.js';
import { eachMessage } from './worker/each-message.js';
import type { RecordHandler, Running } from './worker/look.js';
import { Queued } from './worker/queued.js';
import { runConsumer, type RunOptions } from './worker/run-consumer.js';

export interface KafkaOptions {
  /**
   * The consumer group, as kafkajs has it. A part of every job's id: what one group has done with a record is not done for
   * another group.
   */
  readonly groupId: string;
  /**
   * Where commands put records back, read by this group alone. It has to be there. Default: the topic that a record came from,
   * where other groups, and other programs, see it a second time.
   */
  readonly retryTopic?: string;
  /**
   * Who retries and recovers the topics' jobs. `queue`, the default: Kafka. What is not committed is handed out again, a
   * failed record is tried again in its place, and everything keeps its order. `jobwarden`: a failed record is committed once
   * Jobwarden has decided what becomes of it, and its commands put records back. Has to agree with the policy as soon as
   * Jobwarden may act, or nothing starts ({@link OwnersError}).
   */
  readonly owner?: Owner;
  /** Default: `createClient()`, by `JOBWARDEN_URL` and `JOBWARDEN_TOKEN`. */
  readonly client?: Client;
  /** Carries the facts. Default: one over HTTP by `client`, closed by `close`. All programs of a group need the same `source`. */
  readonly emitter?: Emitter;
  /** Of the attempts' leases: id, revision, `leaseMs`, `onUnavailable` … Every record is claimed. */
  readonly worker?: Omit<LeaseOptions, 'client' | 'emitter' | 'logger' | 'claims'>;
  /** Default: warnings to standard error. */
  readonly logger?: Logger;
}

/** Jobwarden for the consumers of one group in one program. */
export interface KafkaBinding {
  readonly owner: Owner;
  /**
   * In place of `consumer.subscribe` and `consumer.run`, of a connected consumer. While a record has to wait its partition is
   * paused, and others go on. @throws OwnersError where two would recover a topic's jobs: nothing is consumed then.
   */
  run(consumer: Consumer, options: RunOptions): Promise<void>;
  /**
   * For a `consumer.run` of your own, or of a framework. A record that has to wait is waited for in its place. Subscribe to the
   * retry topic, too, from its beginning. Rejects with an OwnersError at the first record where two would recover its topic.
   */
  eachMessage(handler: RecordHandler): EachMessageHandler;
  /** Follows the commands of some topics' jobs, until it is closed. Needed once, in any program; more at once do no harm. */
  consumeCommands(options: ConsumerOptions): CommandConsumer;
  /**
   * Tells how many records of the group's topics wait (`native.waiting` of `GET /v1/queues/{queue}`), until it is ended by what
   * it answers or by `close`. Needed once, in any program; more at once say the same.
   */
  watchLag(options: LagOptions): () => void;
  /**
   * Begins nothing more, lets running attempts end (`drain` of @jobwarden/worker), stops the consumers that were given to `run`
   * or `consumeCommands`, and sends what is buffered. Disconnect your consumers afterwards. Idempotent.
   */
  close(): Promise<void>;
}

/** @throws RangeError for a group without a name. */
export function createKafka(options: KafkaOptions): KafkaBinding {
  const { groupId, retryTopic, owner = 'queue', logger = stderrLogger } = options;
  if (groupId === '') throw new RangeError('createKafka: groupId is empty');
  const client = options.client ?? createClient();
  const emitter = options.emitter ?? createEmitter({ client, source: 'kafka', logger });
  const runner = createWorker({ ...options.worker, claims: true, client, emitter, logger });
  const owners = new OwnerCheck({ client, owner, logger });
  const closing = new AbortController();
  const stopping = new Set<() => unknown>();
  const check = (queue: string) => owners.of(queue);
  const running: Running = { owner, groupId, client, logger, runner, check, queued: new Queued((fact) => emitter.tell(fact)), closing: closing.signal };
  return {
    owner,
    run: async (consumer, more) => {
      stopping.add(() => consumer.stop());
      await runConsumer(consumer, more, running, retryTopic);
    },
    eachMessage: (handler) => eachMessage(running, handler),
    consumeCommands: (more) => {
      const commands = consumeCommands({ ...more, client, groupId, retryTopic, logger, check });
      stopping.add(() => commands.close());
      return commands;
    },
    watchLag: (more) => {
      const end = watchLag({ ...more, groupId, logger, tell: (fact) => emitter.tell(fact) });
      stopping.add(end);
      return end;
    },
    close: async () => {
      closing.abort();
      await Promise.all([runner.drain(), ...[...stopping].map((stop) => stop())]);
      if (options.emitter === undefined) await emitter.close();
    },
  };
}
