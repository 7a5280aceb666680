import { tokenText } from '../token.js';
import { evaluate, type RedisClient } from './client.js';
import { fenceKey } from './fence-key.js';
import { FENCED_SET, FENCED_SWAP, fencedRun } from './scripts.js';

export interface RedisFenceOptions {
  /**
   * How long a key's highest token is remembered after its last write, ms. Default 30 days. A worker that comes back
   * even later than that is let in.
   */
  readonly keepMs?: number;
}

export interface WriteOptions {
  /** When the value expires, ms. Default: never. The token outlives it. */
  readonly ttlMs?: number;
}

export interface FencedScript {
  /** The keys that it touches: `KEYS[1]` and on. On a cluster all of one slot, and so `keys[0]` decides where the fence is. */
  readonly keys: readonly [string, ...string[]];
  /** `ARGV[1]` and on. */
  readonly args?: readonly string[];
}

/** Writes that go through only while no higher token has written. Each is one script: nothing comes between check and write. */
export interface RedisFence {
  /**
   * Sets the key to the value if no higher token has. The same token may set again.
   * @returns false: stale, and nothing was written. @throws RangeError for what is no token, or a key that `fenceKey` refuses.
   */
  set(key: string, value: string, token: number, options?: WriteOptions): Promise<boolean>;
  /**
   * The same, and only if the key holds `expected` (null: if there is none). `stale` goes before `differs`, and after
   * `differs` nothing is written and the token is not kept either. A repeat of a write that went through `differs`.
   */
  compareAndSet(key: string, expected: string | null, value: string, token: number, options?: WriteOptions): Promise<'written' | 'stale' | 'differs'>;
  /**
   * Runs lines of Lua of your own behind the fence of `keys[0]`: whatever is written to lists, hashes, streams.
   * @returns what they return; null: stale, and they have not run. Lines that return nothing resolve to undefined.
   */
  run(lua: string, script: FencedScript, token: number): Promise<unknown>;
}

const MONTH_MS = 30 * 24 * 3_600_000;

export function createRedisFence(redis: RedisClient, { keepMs = MONTH_MS }: RedisFenceOptions = {}): RedisFence {
  const keep = wholeMs('keepMs', keepMs);
  /** The ttl or nothing, and how long to keep the token: never less. */
  const timesOf = ({ ttlMs }: WriteOptions): readonly [string, string] =>
    ttlMs === undefined ? ['', keep] : [wholeMs('ttlMs', ttlMs), String(Math.max(ttlMs, keepMs))];
  return {
    async set(key, value, token, options = {}) {
      const [ttl, keeping] = timesOf(options);
      const args = [value, ttl, tokenText(token), keeping];
      return (await evaluate(redis, FENCED_SET, [key, fenceKey(key)], args)) === 1;
    },
    async compareAndSet(key, expected, value, token, options = {}) {
      const [ttl, keeping] = timesOf(options);
      const args = [value, ttl, expected ?? '', expected === null ? '' : '1', tokenText(token), keeping];
      const answer = await evaluate(redis, FENCED_SWAP, [key, fenceKey(key)], args);
      return answer === 1 ? 'written' : answer === 0 ? 'stale' : 'differs';
    },
    async run(lua, { keys, args = [] }, token) {
      const all = [...args, tokenText(token), keep];
      const [ran, result] = (await evaluate(redis, fencedRun(lua), [...keys, fenceKey(keys[0])], all)) as [number, unknown];
      return ran === 1 ? result : null;
    },
  };
}

function wholeMs(name: string, ms: number): string {
  if (Number.isSafeInteger(ms) && ms >= 1) return String(ms);
  throw new RangeError(`${name} is a whole number of milliseconds from 1 on, and not ${String(ms)}.`);
}
