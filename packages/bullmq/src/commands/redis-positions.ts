import type { PositionStore } from '@jobwarden/client';
import type { Queue } from 'bullmq';
import { keysOf, redisOf } from '../redis.js';
import { ownKeys } from '../own-keys.js';

/**
 * How far a queue's commands have been followed, in that queue's own Redis: `prefix:queue:jobwarden:position`. All readers
 * of the queue share it. One that lags behind may set it back: then commands come again, and are copies.
 */
export function redisPositions(queue: Queue): PositionStore {
  const { position } = ownKeys(keysOf(queue).base);
  return {
    load: async () => {
      const kept = await (await redisOf(queue)).get(position);
      return kept === '' ? null : kept;
    },
    save: async (to) => {
      await (await redisOf(queue)).set(position, to);
    },
  };
}
