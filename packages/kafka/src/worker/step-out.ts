import type { Consumer } from 'kafkajs';
import type { Running } from './look.js';

const AGAIN_MS = 1_000;

/**
 * Leaves the group while this release is out of service in a queue, so that its partitions go to consumers of other releases: as
 * long as it is a member, the broker gives them to nobody else. Joins again once it is let in. Of several at once the first does it.
 */
export function stepOut(consumer: Pick<Consumer, 'stop'>, join: () => Promise<void>, { runner, closing, logger }: Pick<Running, 'runner' | 'closing' | 'logger'>): (queue: string) => void {
  let out = false;
  const until = async (queue: string): Promise<void> => {
    // It waits for the batch that has found it out: nobody in that may wait for this.
    await consumer.stop();
    await runner.admitted(queue);
    while (!closing.aborted) {
      try {
        await join();
        return;
      } catch (error) {
        logger.warn(`the group cannot be joined again, and it is tried once more: ${error instanceof Error ? error.message : String(error)}`);
        await new Promise((resolve) => setTimeout(resolve, AGAIN_MS).unref());
      }
    }
  };
  return (queue) => {
    if (out) return;
    out = true;
    void until(queue)
      .catch((error: unknown) => logger.warn(`a consumer whose release is out of service could not leave its group: ${String(error)}`))
      .finally(() => (out = false));
  };
}
