import { randomUUID } from 'node:crypto';
import { INVALIDATE, IS_CURRENT, POSITION, READ, RENEW, STORE } from './redis-scripts.js';
import type { SharedStore, SourcePosition, Stamp } from './shared-store.js';
import { within } from './within.js';

/** A client of ioredis (single or cluster), or of node-redis (`createClient`). */
export type RedisClient = { call(command: string, ...args: string[]): Promise<unknown> } | { sendCommand(args: string[]): Promise<unknown> };

export interface RedisStoreOptions {
  /** First part of all its keys, and their hash tag: they lie on one slot of a cluster. Default `jobwarden-cache`. */
  readonly prefix?: string;
  /** A call that takes longer counts as failed, ms. Default 500: then the source is asked, and nothing is stored. */
  readonly timeoutMs?: number;
  /** Keys, tags and positions that are remembered. What is forgotten counts as invalidated. Default 100,000, about 20 MB. */
  readonly maxMarks?: number;
}

/** The second level in Redis (6.2 or later), shared by all replicas that have the same prefix and the same invalidations. */
export function redisStore(redis: RedisClient, { prefix = 'jobwarden-cache', timeoutMs = 500, maxMarks = 100_000 }: RedisStoreOptions = {}): SharedStore {
  const keys = [`{${prefix}}:marks`, `{${prefix}}:state`];
  const run = async (script: string, args: readonly string[], entry?: string): Promise<unknown> => {
    const all = entry === undefined ? keys : [...keys, `{${prefix}}:e:${entry}`];
    const command = [script, String(all.length), ...all, randomUUID(), ...args];
    return await within(timeoutMs, 'call' in redis ? redis.call('EVAL', ...command) : redis.sendCommand(['EVAL', ...command]));
  };
  return {
    async read(key) {
      const [state, ...entry] = (await run(READ, [], key)) as [string[], ...unknown[]];
      const stamp = stampOf(state);
      if (entry.length === 0) return { entry: null, stamp };
      const [epoch, at, seen, names, text, leftMs] = entry as [string, string, string, string, string, number];
      const of: Stamp = { epoch, at: Number(at), seen: JSON.parse(seen) as Stamp['seen'] };
      return { entry: { stamp: of, names: JSON.parse(names) as string[], text, leftMs: Math.max(0, leftMs) }, stamp };
    },
    async store(key, { stamp, names, text }, ttlMs) {
      const args = [...began(stamp, names), JSON.stringify(stamp.seen), text, String(Math.ceil(ttlMs))];
      return (await run(STORE, args, key)) === 1;
    },
    async isCurrent(names, stamp) {
      return (await run(IS_CURRENT, began(stamp, names))) === 1;
    },
    async invalidate(batch, position) {
      const each = batch.flatMap(({ id, names, ordered }) => [id, JSON.stringify(names), String(ordered?.shard ?? ''), String(ordered?.number ?? '')]);
      const [epoch, ...at] = (await run(INVALIDATE, [...kept(position), String(maxMarks), ...each])) as [string, ...number[]];
      return { epoch, at };
    },
    async renew(position) {
      const [epoch, at] = (await run(RENEW, kept(position))) as [string, number];
      return { epoch, at };
    },
    async position(source) {
      return (await run(POSITION, [source])) as string | null;
    },
  };
}

const began = (stamp: Stamp, names: readonly string[]): string[] => [stamp.epoch, String(stamp.at), JSON.stringify(names)];

const kept = (position: SourcePosition | null): string[] => (position === null ? ['', ''] : [position.source, position.id]);

function stampOf(state: readonly string[]): Stamp {
  const fields = new Map<string, string>();
  for (let i = 0; i < state.length; i += 2) fields.set(state[i] ?? '', state[i + 1] ?? '');
  const seen = [...fields].filter(([name]) => name.startsWith('s:')).map(([name, value]) => [name.slice(2), Number(value)] as const);
  return { epoch: fields.get('epoch') ?? '', at: Number(fields.get('at')), seen: Object.fromEntries(seen) };
}
