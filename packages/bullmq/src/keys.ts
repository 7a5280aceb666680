/** BullMQ's default prefix of all its keys. */
export const DEFAULT_PREFIX = 'bull';

/**
 * The names of BullMQ's keys in Redis, of versions 4 to 6. A queue's keys are `prefix:queue:…`, a job's hash is
 * `prefix:queue:<id>`, and beside it lie `…:lock`, `…:logs`, `…:dependencies`.
 */
export interface QueueKeys {
  /** `prefix:queue:`, before a job's id. */
  readonly base: string;
  /** Hash: `paused`, `version`, `concurrency`, `opts.maxLenEvents`. There once something was added to the queue. */
  readonly meta: string;
  /** Stream of all that happens, trimmed at about `opts.maxLenEvents` (10,000) entries. */
  readonly events: string;
  /** List: ready, oldest at its right end. */
  readonly wait: string;
  /** List that versions before 6 kept the waiting jobs of a paused queue in. */
  readonly paused: string;
  /** List: taken by workers. */
  readonly active: string;
  /** Sorted set: ready, by priority. */
  readonly prioritized: string;
  /** Sorted set, by due time × 4096. */
  readonly delayed: string;
  /** Sorted set: parents of a flow, until their children have ended. */
  readonly waitingChildren: string;
  /** Sorted set, by when they ended, ms. */
  readonly completed: string;
  readonly failed: string;
  /** Set of the ids that the next stall check looks at. */
  readonly stalled: string;
  /** Sorted set of job schedulers, by their next time. */
  readonly repeat: string;
}

/** Those of `queue`. `{braces}` around a prefix or a queue's name, as Redis Cluster wants them, are part of the name. */
export function queueKeys(queue: string, prefix = DEFAULT_PREFIX): QueueKeys {
  const base = `${prefix}:${queue}:`;
  return {
    base,
    meta: `${base}meta`,
    events: `${base}events`,
    wait: `${base}wait`,
    paused: `${base}paused`,
    active: `${base}active`,
    prioritized: `${base}prioritized`,
    delayed: `${base}delayed`,
    waitingChildren: `${base}waiting-children`,
    completed: `${base}completed`,
    failed: `${base}failed`,
    stalled: `${base}stalled`,
    repeat: `${base}repeat`,
  };
}

/** The hash of a job. */
export function jobKey(keys: QueueKeys, nativeId: string): string {
  return keys.base + nativeId;
}

/** Holds the token of the worker that runs the job, and expires unless that worker renews it. */
export function lockKey(keys: QueueKeys, nativeId: string): string {
  return `${keys.base}${nativeId}:lock`;
}

/** The pattern that finds the queues of a prefix: each has a `meta`. */
export function metaPattern(prefix = DEFAULT_PREFIX): string {
  return `${prefix.replaceAll(/[*?[\]\\]/gu, String.raw`\$&`)}:*:meta`;
}

/** The queue of a key that matched `metaPattern`. BullMQ allows no colon in a queue's name, so a job called `meta` is none. */
export function queueOfMeta(metaKey: string, prefix = DEFAULT_PREFIX): string | null {
  const queue = metaKey.slice(prefix.length + 1, -':meta'.length);
  return metaKey === queueKeys(queue, prefix).meta && queue !== '' && !queue.includes(':') ? queue : null;
}

/** Of a lock's token, which is the worker's id and a count; null for a token that somebody made otherwise. */
export function workerOfToken(token: string): string | null {
  return /^(.+):\d+$/u.exec(token)?.[1] ?? null;
}
