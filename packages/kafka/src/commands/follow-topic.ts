import type { EnqueueCommand } from '@jobwarden/client';
import type { Consumer } from 'kafkajs';

export interface Following {
  readonly topic: string;
  readonly queues: readonly string[];
  readonly namespace: string;
  /** Called at least once for each; a rejection has it called again, and nothing behind it is read meanwhile. */
  readonly onEnqueue: (command: EnqueueCommand) => Promise<void>;
}

/** Reads commands off their topic, in their order per job. */
export async function followTopic(consumer: Consumer, { topic, queues, namespace, onEnqueue }: Following): Promise<void> {
  // Of a new group: what was decided before it read. What is over by now is dropped.
  await consumer.subscribe({ topics: [topic], fromBeginning: true });
  await consumer.run({
    eachMessage: async ({ message }) => {
      const command = commandOf(message.value);
      if (command === null || (command.namespace ?? 'default') !== namespace) return;
      if (queues.includes(command.data.deliverTo ?? command.data.queue)) await onEnqueue(command);
    },
  });
}

/** null: it is another message. */
function commandOf(value: Buffer | null): EnqueueCommand | null {
  try {
    const message = JSON.parse(String(value)) as EnqueueCommand | null;
    return message?.type === 'jobwarden.command.enqueue.v1' ? message : null;
  } catch {
    return null;
  }
}
