import type { ChainableCommander, Redis } from 'ioredis';
import { jobKey, lockKey, metaPattern, queueKeys, queueOfMeta, type QueueKeys } from '../keys.js';
import { entryOf, type Entry } from './entry.js';
import { JOB_FIELDS, nativeJob, type NativeJob } from './native-job.js';
import { BEFORE_ALL, compareIds, type StreamId } from './stream-id.js';
import type { Lock } from './translate.js';

type Answers = readonly (readonly [Error | null, unknown])[];
export type ZSet = 'prioritized' | 'delayed' | 'waitingChildren';

/** Hashes in one pipeline: Redis runs what came in one piece (16 kB) without another client's command in between. */
export const PIPELINE_JOBS = 40;
/** Elements of one page of a list or set. */
const PAGE = 1_000;

/**
 * Every command that a tap sends, and none of them writes: XREAD, XRANGE, XREVRANGE, HMGET, HGET, LRANGE, LLEN, LINDEX, ZRANGE, ZCARD,
 * ZSCORE, ZSCAN, MGET, PTTL, EXISTS, SCAN, and PING at the start.
 */
export class Reader {
  /** Sent so far. */
  commands = 0;

  constructor(
    private readonly redis: Redis,
    private readonly payload: boolean,
  ) {}

  /** Queues of a prefix, in order. Looks through all keys of the database, once. */
  async queues(prefix: string): Promise<string[]> {
    const found = new Set<string>();
    let cursor = '0';
    do {
      const [next, keys] = await this.count(this.redis.scan(cursor, 'MATCH', metaPattern(prefix), 'COUNT', PAGE));
      for (const key of keys) {
        const queue = queueOfMeta(key, prefix);
        if (queue !== null) found.add(queue);
      }
      cursor = next;
    } while (cursor !== '0');
    return [...found].sort();
  }

  async exists(queue: string, prefix: string): Promise<boolean> {
    const { meta, events } = queueKeys(queue, prefix);
    return (await this.count(this.redis.exists(meta, events))) > 0;
  }

  /** New entries of many streams, by key. Waits for some, up to `blockMs`. */
  async follow(positions: readonly (readonly [key: string, after: StreamId])[], count: number, blockMs: number): Promise<Map<string, Entry[]>> {
    const keys = positions.map(([key]) => key);
    const ids = positions.map(([, after]) => after);
    const answer = await this.count(this.redis.xread('COUNT', count, 'BLOCK', blockMs, 'STREAMS', ...keys, ...ids));
    return new Map((answer ?? []).map(([key, entries]) => [key, entries.map(entryOf)]));
  }

  async lastEntry({ events }: QueueKeys): Promise<StreamId> {
    const [entry] = await this.count(this.redis.xrevrange(events, '+', '-', 'COUNT', 1));
    return entry?.[0] ?? BEFORE_ALL;
  }

  /** null: the stream is empty. */
  async firstEntry({ events }: QueueKeys): Promise<StreamId | null> {
    const [entry] = await this.count(this.redis.xrange(events, '-', '+', 'COUNT', 1));
    return entry?.[0] ?? null;
  }

  /** What the stream still holds, oldest first, up to `until`. */
  async *history({ events }: QueueKeys, until: StreamId): AsyncGenerator<Entry[]> {
    for (let from = '-'; ; ) {
      const page = await this.count(this.redis.xrange(events, from, until, 'COUNT', PAGE));
      if (page.length > 0) yield page.map(entryOf);
      const last = page.at(-1)?.[0];
      if (last === undefined || page.length < PAGE) return;
      from = `(${last}`;
    }
  }

  /** From its left end, where BullMQ adds: what comes meanwhile is seen twice, and nothing is passed over. */
  async *list(key: string): AsyncGenerator<string[]> {
    for (let from = 0; ; from += PAGE) {
      const page = await this.count(this.redis.lrange(key, from, from + PAGE - 1));
      if (page.length > 0) yield page;
      if (page.length < PAGE) return;
    }
  }

  /** Also what is taken out in the meantime may be there; what stays is. */
  async *set(key: string): AsyncGenerator<string[]> {
    let cursor = '0';
    do {
      const [next, flat] = await this.count(this.redis.zscan(key, cursor, 'COUNT', PAGE));
      const page = flat.filter((_, i) => i % 2 === 0);
      if (page.length > 0) yield page;
      cursor = next;
    } while (cursor !== '0');
  }

  /** The newest of `completed` or `failed`. */
  async newest(key: string, count: number): Promise<string[]> {
    return count === 0 ? [] : await this.count(this.redis.zrange(key, 0, count - 1, 'REV'));
  }

  /** Which of the two a job ended in. */
  async ending({ completed, failed }: QueueKeys, nativeId: string): Promise<'completed' | 'failed' | null> {
    const [done, gaveUp] = await this.pipeline((p) => p.zscore(completed, nativeId).zscore(failed, nativeId));
    return valueOf(done) !== null ? 'completed' : valueOf(gaveUp) !== null ? 'failed' : null;
  }

  /**
   * Hashes, and the stream's last entry as they were read. Repeated where something happened in between; under a load
   * that never lets go, at last taken as it comes.
   */
  async jobs(keys: QueueKeys, nativeIds: readonly string[], stacks: boolean): Promise<{ jobs: Map<string, NativeJob | null>; asOf: StreamId }> {
    const extra = [...(stacks ? (['stacktrace'] as const) : []), ...(this.payload ? (['data'] as const) : [])];
    for (let tries = 1; ; tries += 1) {
      const answers = await this.pipeline((p) => {
        p.xrevrange(keys.events, '+', '-', 'COUNT', 1);
        for (const id of nativeIds) p.hmget(jobKey(keys, id), ...JOB_FIELDS, ...extra);
        return p.xrevrange(keys.events, '+', '-', 'COUNT', 1);
      });
      const [before, after] = [answers.at(0), answers.at(-1)].map((a) => (valueOf(a) as [string, string[]][])[0]?.[0] ?? BEFORE_ALL);
      if (before === undefined || after === undefined) throw new Error('Redis has left an answer out.');
      if (compareIds(before, after) !== 0 && tries < 5) continue;
      const jobs = new Map(nativeIds.map((id, i) => [id, nativeJob(valueOf(answers[i + 1]) as (string | null)[], extra)]));
      return { jobs, asOf: after };
    }
  }

  /** Hashes of jobs that a batch of entries names. Their place in the stream does not matter there. */
  async hashes(keys: QueueKeys, nativeIds: readonly string[], stacks: ReadonlySet<string>): Promise<Map<string, NativeJob | null>> {
    if (nativeIds.length === 0) return new Map();
    const extraOf = (id: string) => [...(stacks.has(id) ? (['stacktrace'] as const) : []), ...(this.payload ? (['data'] as const) : [])];
    const answers = await this.pipeline((p) => {
      for (const id of nativeIds) p.hmget(jobKey(keys, id), ...JOB_FIELDS, ...extraOf(id));
      return p;
    });
    return new Map(nativeIds.map((id, i) => [id, nativeJob(valueOf(answers[i]) as (string | null)[], extraOf(id))]));
  }

  /** Locks that are there. */
  async locks(keys: QueueKeys, nativeIds: readonly string[]): Promise<Map<string, Lock>> {
    if (nativeIds.length === 0) return new Map();
    const names = nativeIds.map((id) => lockKey(keys, id));
    const [tokens, ...left] = await this.pipeline((p) => {
      p.mget(...names);
      for (const name of names) p.pttl(name);
      return p;
    });
    const found = new Map<string, Lock>();
    for (const [i, token] of (valueOf(tokens) as (string | null)[]).entries()) {
      const [id, leftMs] = [nativeIds[i], Number(valueOf(left[i]))];
      if (id !== undefined && token !== null && leftMs > 0) found.set(id, { token, leftMs });
    }
    return found;
  }

  /** Which of them are there no more. */
  async missing(keys: QueueKeys, nativeIds: readonly string[]): Promise<string[]> {
    const answers = await this.pipeline((p) => {
      for (const id of nativeIds) p.exists(jobKey(keys, id));
      return p;
    });
    return nativeIds.filter((_, i) => valueOf(answers[i]) === 0);
  }

  async depth(keys: QueueKeys): Promise<{ readonly waiting: number; readonly oldest: string | null; readonly paused: boolean }> {
    const answers = await this.pipeline((p) =>
      p.llen(keys.wait).llen(keys.paused).zcard(keys.prioritized).lindex(keys.wait, -1).hget(keys.meta, 'paused'),
    );
    const [wait, held, prioritized, oldest, paused] = answers.map(valueOf);
    return { waiting: Number(wait) + Number(held) + Number(prioritized), oldest: oldest as string | null, paused: paused !== null };
  }

  private async count<T>(answer: Promise<T>): Promise<T> {
    this.commands += 1;
    return await answer;
  }

  private async pipeline(fill: (pipeline: ChainableCommander) => ChainableCommander): Promise<Answers> {
    const pipeline = fill(this.redis.pipeline());
    this.commands += pipeline.length;
    return (await pipeline.exec()) ?? [];
  }
}

function valueOf(answer: Answers[number] | undefined): unknown {
  if (answer === undefined) throw new Error('Redis has left an answer out.');
  if (answer[0] !== null) throw answer[0];
  return answer[1];
}
