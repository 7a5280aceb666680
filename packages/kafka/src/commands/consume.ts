import { readCommands, type Client, type EnqueueCommand, type Logger, type PositionStore } from '@jobwarden/client';
import type { Consumer, Producer } from 'kafkajs';
import { followTopic } from './follow-topic.js';
import { putBack, type PutBack } from './put-back.js';

export interface ConsumerOptions {
  /** The topics whose jobs are meant. */
  readonly topics: readonly string[];
  /** Writes the records; yours to connect before, and to disconnect. */
  readonly producer: Pick<Producer, 'send'>;
  /**
   * Reads the commands off Kafka, where Jobwarden is connected to it: a connected consumer of kafkajs, in a group of its own for
   * this, so that one of several programs takes each command and goes on where it was. Default: they are read over
   * server-sent events.
   */
  readonly consumer?: Consumer;
  /** With `consumer`. As the service has it (`JOBWARDEN_TOPIC_PREFIX`). Default `jobwarden.commands`. */
  readonly commandsTopic?: string;
  /**
   * Without `consumer`: where to keep how far the commands were read, such as `filePositions` of @jobwarden/client. Default: in
   * memory, so that a new process looks through what is kept of them, up to seven days, for what is still wanted.
   */
  readonly positions?: PositionStore;
  /** Called with what became of each command; for logs and metrics of one's own. */
  readonly onCommand?: (command: EnqueueCommand, outcome: PutBack) => void;
}

export interface Consuming extends ConsumerOptions {
  readonly client: Client;
  readonly groupId: string;
  readonly retryTopic: string | undefined;
  readonly logger: Logger;
  /** Rejects where two would recover the queue. */
  readonly check: (queue: string) => Promise<void>;
}

/** Reads the commands of some topics' jobs until it is closed. */
export interface CommandConsumer {
  /** Resolves once it is about to read; rejects with an OwnersError, and nothing is read, where Kafka and Jobwarden would both recover a topic. */
  readonly ready: Promise<void>;
  /** How many commands had which outcome since the start. */
  stats(): Readonly<Record<string, number>>;
  /** Ends the reading; the command that is being dealt with is done first. The consumer is stopped, and yours to disconnect. Idempotent. */
  close(): Promise<void>;
}

/** Enqueue commands of Jobwarden become records. Stops need nothing: who runs the job hears of it, and whoever takes its record does. */
export function consumeCommands(consuming: Consuming): CommandConsumer {
  const { client, topics, consumer, commandsTopic = 'jobwarden.commands', positions, logger, check, onCommand } = consuming;
  const ended = new AbortController();
  const counts: Record<string, number> = {};
  const onEnqueue = async (command: EnqueueCommand): Promise<void> => {
    const outcome = await putBack(command, consuming);
    if (outcome === 'no-payload') logger.warn(`job ${command.subject} has no payload in Jobwarden to put it back with`);
    counts[outcome] = (counts[outcome] ?? 0) + 1;
    onCommand?.(command, outcome);
  };
  const onReset = (): void =>
    logger.warn('commands may have been missed: what is not begun is sent again after startBy, or ask for it by hand (POST …/restart)');
  const checked = Promise.all(topics.map((topic) => check(topic)));
  const ready =
    consumer === undefined
      ? checked.then(() => undefined)
      : checked.then(() => followTopic(consumer, { topic: commandsTopic, queues: topics, namespace: client.namespace, onEnqueue }));
  const reading = ready.then(
    async () => {
      if (consumer !== undefined) return;
      await readCommands({ client, logger, queues: topics, from: 'start', ...(positions !== undefined && { positions }), onEnqueue, onReset, signal: ended.signal });
    },
    () => undefined,
  );
  return {
    ready,
    stats: () => ({ ...counts }),
    close: async () => {
      ended.abort();
      await consumer?.stop();
      await reading;
    },
  };
}
