import { tokenText } from './token.js';

/** For a sink that is one process and loses what it holds when it ends: a mock-up, a device, a writer of files. */
export interface MemoryFence {
  /** Keeps the token unless a higher one is kept. Write in the same tick. @throws RangeError for what is no token. */
  holds(resource: string, token: number): boolean;
}

/** @param maxResources Those written to longest ago are forgotten beyond. Default 100,000. */
export function createMemoryFence(maxResources = 100_000): MemoryFence {
  const newest = new Map<string, number>();
  return {
    holds(resource, token) {
      tokenText(token);
      if ((newest.get(resource) ?? 0) > token) return false;
      newest.delete(resource);
      newest.set(resource, token);
      const oldest = newest.size > maxResources ? newest.keys().next() : undefined;
      if (oldest?.done === false) newest.delete(oldest.value);
      return true;
    },
  };
}
