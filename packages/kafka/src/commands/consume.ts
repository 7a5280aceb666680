import { commandConsumer, readCommands, type Client, type CommandConsumer, type Consumption, type EnqueueCommand, type Logger, type PositionStore } from '@jobwarden/client';
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

/**
 * Enqueue commands of Jobwarden become records. Stops need nothing: who runs the job hears of it, and whoever takes its record
 * does. When it is closed, `consumer` is stopped, and yours to disconnect.
 */
export function consumeCommands(consuming: Consuming): CommandConsumer {
  const { client, topics, consumer, commandsTopic = 'jobwarden.commands', positions, logger, check, onCommand } = consuming;
  const enqueue = async (command: EnqueueCommand, { note }: Reading): Promise<void> => {
    const outcome = await putBack(command, consuming);
    if (outcome === 'no-payload') logger.warn(`job ${command.subject} has no payload in Jobwarden to put it back with`);
    note(command, outcome);
  };
  const onReset = (): void =>
    logger.warn('commands may have been missed: what is not begun is sent again after startBy, or ask for it by hand (POST …/restart)');
  return commandConsumer({
    ...{ onCommand },
    begin: async (reading) => {
      await Promise.all(topics.map((topic) => check(topic)));
      const { namespace } = client;
      if (consumer !== undefined) await followTopic(consumer, { topic: commandsTopic, queues: topics, namespace, onEnqueue: (command) => enqueue(command, reading) });
    },
    work: async (reading) => {
      if (consumer !== undefined) return;
      const { signal } = reading;
      await readCommands({ client, logger, queues: topics, from: 'start', ...(positions !== undefined && { positions }), onEnqueue: (command) => enqueue(command, reading), onReset, signal });
    },
    stop: async () => await consumer?.stop(),
  });
}

type Reading = Consumption<EnqueueCommand, PutBack>;
