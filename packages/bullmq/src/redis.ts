import type { Queue, Worker } from 'bullmq';
import { DEFAULT_PREFIX, queueKeys, type QueueKeys } from './keys.js';

/** BullMQ's own connection, whichever Redis library is behind it. */
export type Redis = Awaited<Queue['backend']['client']>;

/** A BullMQ queue or worker. */
export type OnQueue = Pick<Queue | Worker, 'name' | 'opts' | 'backend'>;

/** @throws where BullMQ keeps the queue in PostgreSQL: what is put back there goes by other ways. */
export async function redisOf({ backend, name }: OnQueue): Promise<Redis> {
  const client = await (backend as { readonly client?: Promise<Redis> }).client;
  if (client === undefined) throw new Error(`BullMQ does not keep the queue "${name}" in Redis: @jobwarden/bullmq works with Redis alone`);
  return client;
}

export function keysOf({ name, opts }: OnQueue): QueueKeys {
  return queueKeys(name, opts.prefix ?? DEFAULT_PREFIX);
}

export interface Script {
  /** Unique, so with its version: a connection keeps the first one that it was given under a name. */
  readonly name: string;
  readonly keys: number;
  readonly lua: string;
}

const known = new WeakMap<Redis, Set<string>>();

/** Runs a script by its hash, and loads it where the server does not know it yet. */
export async function runScript(redis: Redis, script: Script, args: readonly (string | number)[]): Promise<unknown> {
  const names = known.get(redis) ?? new Set<string>();
  known.set(redis, names);
  if (!names.has(script.name)) {
    redis.defineCommand(script.name, { numberOfKeys: script.keys, lua: script.lua });
    names.add(script.name);
  }
  return (await redis.runCommand(script.name, [...args])) as unknown;
}
