import { memoryStore, type InvalidationSource, type LogPosition, type SharedStore, type SourceItem } from '@jobwarden/cache-guard';
import fc from 'fast-check';
import { ManagedReplicas } from './managed.js';
import { guarded, naive, slow, type Replica } from './replica.js';
import { Schedule } from './schedule.js';
import { Stream } from './stream.js';

/** What happens, in the order in which it begins; how it goes on is drawn. */
export type Step =
  | { readonly does: 'write'; readonly key: number; readonly shard: number; readonly byTag: boolean }
  | { readonly does: 'read'; readonly key: number; readonly replica: number; readonly after: boolean }
  | { readonly does: 'gap'; readonly replica: number }
  /** Whatever has begun comes to its end before anything else begins: caches are warm then. */
  | { readonly does: 'rest' };

const KEYS = ['a', 'b'];
const REPLICAS = 3;

export const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof(
    { weight: 3, arbitrary: fc.record({ does: fc.constant('write' as const), key: fc.nat(1), shard: fc.nat(1), byTag: fc.boolean() }) },
    { weight: 6, arbitrary: fc.record({ does: fc.constant('read' as const), key: fc.nat(1), replica: fc.nat(REPLICAS - 1), after: fc.boolean() }) },
    { weight: 1, arbitrary: fc.record({ does: fc.constant('gap' as const), replica: fc.nat(REPLICAS - 1) }) },
    { weight: 1, arbitrary: fc.record({ does: fc.constant('rest' as const) }) },
  ),
  { minLength: 4, maxLength: 16 },
);

export type Kind = 'guarded' | 'twin: no guard' | 'cache-manager' | 'twin: cache-manager alone';

export interface Run {
  readonly steps: readonly Step[];
  readonly seed: number;
  readonly kind?: Kind;
  readonly ordered?: boolean;
  /** One in so many calls of the store fails. Default: none. */
  readonly failsOneIn?: number;
  /** Default: one in memory. */
  readonly store?: SharedStore;
}

/** Runs the steps, and says what was read that is older than the last invalidation that the reader had heard or named. */
export async function staleReads({ steps: todo, seed, kind = 'guarded', ordered = true, failsOneIn, store }: Run): Promise<readonly string[]> {
  const draw = generator(seed);
  const schedule = new Schedule(draw);
  const fails = () => failsOneIn !== undefined && draw() % failsOneIn === 0;
  const stale: string[] = [];
  const versions = KEYS.map(() => 0);
  const published: { readonly item: SourceItem; readonly versions: readonly number[]; readonly position: LogPosition }[] = [];
  const numbers = [0, 0];
  const shared = slow(store ?? memoryStore({ entries: true }), schedule, fails);
  const l2 = new Map<string, number>();
  const heard = Array.from({ length: REPLICAS }, () => KEYS.map(() => 0));
  const resets = new Map<SourceItem, readonly number[]>();
  const streams = heard.map((known) => {
    const stream = new Stream(schedule, ordered ? null : draw, (item) => {
      resets.get(item)?.forEach((version, k) => (known[k] = Math.max(known[k] ?? 0, version)));
      for (const one of published) if (one.item === item) raise(known, one);
    });
    stream.push({ kind: 'position', id: '0' });
    return stream;
  });
  const managed = new ManagedReplicas(schedule, draw);
  const made: Readonly<Record<Kind, (source: InvalidationSource) => Replica>> = {
    guarded: (source) => guarded(shared, source),
    'twin: no guard': (source) => naive(l2, source, schedule),
    'cache-manager': (source) => managed.guarded(shared, source),
    'twin: cache-manager alone': (source) => managed.alone(source),
  };
  const replicas: Replica[] = streams.map((stream) => made[kind](stream.source()));

  function raise(known: number[], { item, versions: then }: (typeof published)[number]): void {
    if (item.kind !== 'invalidation') return;
    KEYS.forEach((key, k) => {
      if (item.invalidation.keys.includes(key) || item.invalidation.tags.length > 0) known[k] = Math.max(known[k] ?? 0, then[k] ?? 0);
    });
  }

  const load = (k: number) => async () => {
    await schedule.later();
    const version = versions[k] ?? 0;
    await schedule.later();
    return version;
  };

  async function read(r: number, k: number, named: boolean): Promise<void> {
    const known = [...(heard[r] ?? [])];
    const last = named ? published.findLast(({ item }) => touches(item, k)) : undefined;
    if (last !== undefined) raise(known, last);
    const version = await replicas[r]?.get(KEYS[k] ?? '', load(k), last?.position);
    if (version === undefined || version < (known[k] ?? 0)) stale.push(`replica ${r} read ${KEYS[k]} as of ${version}, and knew of ${known[k]}`);
  }

  function write({ key, shard, byTag }: Extract<Step, { does: 'write' }>): void {
    versions[key] = (versions[key] ?? 0) + 1;
    const position = { shard, number: (numbers[shard] = (numbers[shard] ?? 0) + 1) };
    const invalidation = { keys: byTag ? [] : [KEYS[key] ?? ''], tags: byTag ? ['all'] : [], position };
    const item: SourceItem = { kind: 'invalidation', id: String(published.length), invalidation };
    published.push({ item, versions: [...versions], position });
    for (const stream of streams) stream.push(item);
  }

  /** A replica misses what it has not heard yet, and is told that it may have. */
  function gap(r: number): void {
    const known = KEYS.map(() => 0);
    for (const one of published) raise(known, one);
    const item: SourceItem = { kind: 'reset', id: String(published.length) };
    resets.set(item, known);
    streams[r]?.lose();
    streams[r]?.push(item);
  }

  async function begin(step: Exclude<Step, { does: 'rest' }>): Promise<void> {
    await schedule.later();
    if (step.does === 'write') write(step);
    else if (step.does === 'read') await read(step.replica, step.key, step.after);
    else gap(step.replica);
  }

  const settle = async () => {
    await schedule.run();
    // Only where calls fail is there anything that waits for a clock.
    for (let idle = 0; failsOneIn !== undefined && idle < 4; idle += 1) {
      await new Promise((resolve) => setTimeout(resolve, 2));
      await schedule.run();
    }
  };
  let running: Promise<void>[] = [];
  const rest = async () => {
    await settle();
    await Promise.all(running);
    running = [];
  };
  for (const step of todo) {
    if (step.does === 'rest') await rest();
    else running.push(begin(step));
  }
  await rest();
  // All have heard everything: whatever anybody reads now is the newest that was invalidated.
  const last = replicas.flatMap((_, r) => KEYS.map((_key, k) => read(r, k, false)));
  await settle();
  await Promise.all(last);
  const closing = replicas.map((replica) => replica.close());
  await settle();
  await Promise.all(closing);
  return stale;
}

function touches(item: SourceItem, k: number): boolean {
  return item.kind === 'invalidation' && (item.invalidation.tags.length > 0 || item.invalidation.keys.includes(KEYS[k] ?? ''));
}

/** Mulberry32: the same draws for the same seed. */
function generator(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return (mixed ^ (mixed >>> 14)) >>> 0;
  };
}
