import type { Logger, QueueState } from '@jobwarden/client';
import type { Admin } from 'kafkajs';

export interface LagOptions {
  /** Yours to connect before, and to disconnect after `close`. */
  readonly admin: Pick<Admin, 'fetchTopicOffsets' | 'fetchOffsets'>;
  readonly topics: readonly string[];
  /** How often the brokers are asked, ms. Default 10,000. */
  readonly everyMs?: number;
}

export interface TellingLag extends LagOptions {
  readonly groupId: string;
  readonly tell: (fact: QueueState) => void;
  readonly logger: Logger;
}

/**
 * Tells Jobwarden how many records of each topic the group has not committed. A record is known to it from the first look at
 * it on, so nothing else says how much waits. What answers ends it; it keeps no process alive.
 */
export function watchLag({ admin, topics, everyMs = 10_000, groupId, tell, logger }: TellingLag): () => void {
  let ended = false;
  let timer: NodeJS.Timeout | undefined;
  let failing = false;
  const ask = async (): Promise<void> => {
    try {
      for (const topic of topics) {
        const waiting = await lagOf(admin, groupId, topic);
        if (!ended) tell({ type: 'queue-state', queue: topic, data: { waiting } });
      }
      failing = false;
    } catch (error) {
      if (!failing && !ended) logger.warn(`how far the group ${groupId} is behind is not known: ${error instanceof Error ? error.message : String(error)}`);
      failing = true;
    }
    if (!ended) timer = setTimeout(() => void ask(), everyMs).unref();
  };
  void ask();
  return () => {
    ended = true;
    clearTimeout(timer);
  };
}

/** Of a partition in which the group has committed nothing, everything counts. */
async function lagOf(admin: LagOptions['admin'], groupId: string, topic: string): Promise<number> {
  const [ends, [of]] = await Promise.all([admin.fetchTopicOffsets(topic), admin.fetchOffsets({ groupId, topics: [topic] })]);
  const committed = new Map(of?.partitions.map(({ partition, offset }) => [partition, Number(offset)]));
  return ends.reduce((sum, { partition, low, high }) => sum + Math.max(0, Number(high) - Math.max(Number(low), committed.get(partition) ?? -1)), 0);
}
