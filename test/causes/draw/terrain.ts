import type { Kind, Pool, Queue, Telling, Terrain } from '../fleet/terrain.js';
import type { Random } from '../random.js';

const QUEUES = ['emails', 'invoices', 'thumbnails', 'exports', 'imports', 'webhooks', 'search-index', 'payouts'];
const KINDS = ['welcome', 'monthly', 'resize', 'sync', 'notify', 'cleanup', 'charge', 'reindex'];
const HOSTS = ['api.payments.example', 'smtp.mail.example', 'search.internal', 'storage.example'];

export interface Wishes {
  /** Jobs a second, of the pool that the trouble is about. */
  readonly perSecond?: readonly [number, number];
  /** Each kind uses the database. */
  readonly database?: boolean;
  readonly locks?: boolean;
  readonly calls?: boolean;
  readonly claims?: boolean;
  readonly replicas?: number;
  /** Workers that run many at once: places for each job a second. */
  readonly places?: number;
}

/** A fleet that copes: its workers are busy for a third to two thirds of their time. */
export function drawTerrain(random: Random, wishes: Wishes): Terrain {
  const names = shuffled(QUEUES, random);
  const count = random.pick([1, 1, 2, 3]);
  const main = names.slice(0, count).map((name) => drawQueue(name, random, wishes, count));
  const besides = random.chance(0.3) ? [drawQueue(names[3] ?? 'beside', random, wishes, 2)] : [];
  const pools = [drawPool('main', main, random, wishes), ...besides.map((queue) => drawPool('beside', [queue], random, {}))];
  const places = pools.reduce((sum, pool) => sum + pool.replicas * pool.connections, 0);
  return {
    queues: [...main, ...besides],
    pools,
    telling: drawTelling(random),
    lockTimeoutMs: random.pick([2_000, 4_000, 6_000]),
    connectionSlots: Math.ceil(places * random.between(1.3, 2)) + 5,
    poolTimeoutMs: random.pick([2_000, 5_000, 10_000]),
    dialect: random.int(0, 59),
  };
}

function drawQueue(name: string, random: Random, wishes: Wishes, ofQueues: number): Queue {
  const [least, most] = wishes.perSecond ?? [0.25, 5];
  const perSecond = random.logUniform(least, most) / ofQueues;
  const kinds = drawKinds(random, wishes);
  return {
    name,
    kinds,
    perSecond,
    wave: { share: random.between(0, 0.5), periodMs: random.between(3, 40) * 60_000, phase: random.between(0, 6.28) },
    batch: random.chance(0.15) ? random.int(2, 12) : 1,
    maxRetries: random.pick([2, 3, 3, 5, 8]),
    backoffMs: random.pick([1_000, 1_000, 2_000, 5_000]),
    graceMs: random.pick([5_000, 10_000, 15_000]),
    poisonAfter: random.chance(0.3) ? random.int(2, 4) : null,
    claims: wishes.claims ?? random.chance(0.4),
    baseFailures: random.chance(0.2) ? random.between(0.02, 0.06) : random.between(0, 0.02),
  };
}

function drawKinds(random: Random, { database, locks, calls }: Wishes): readonly Kind[] {
  const names = shuffled(KINDS, random).slice(0, random.int(1, 4));
  const weights = names.map(() => random.between(0.3, 1));
  const sum = weights.reduce((a, b) => a + b, 0);
  return names.map((name, i) => {
    const medianMs = random.logUniform(40, 1_500);
    return {
      name,
      share: (weights[i] ?? 0) / sum,
      medianMs,
      sigma: random.between(0.3, 0.9),
      timeoutMs: random.pick([20_000, 30_000, 60_000]),
      usesDatabase: database ?? random.chance(0.7),
      locks: locks === true ? (i === 0 || random.chance(0.5) ? 2 : 1) : (random.pick([0, 0, 1, 2] as const)),
      calls: calls === true || random.chance(0.5) ? [random.pick(HOSTS)] : [],
      memoryMb: random.between(1, 12),
    };
  });
}

function drawPool(name: string, queues: readonly Queue[], random: Random, wishes: Wishes): Pool {
  // Busy places, from arrivals and run times: what a log-normal run takes on average.
  const busy = queues.reduce((all, { perSecond, kinds }) =>
    all + perSecond * kinds.reduce((sum, k) => sum + (k.share * k.medianMs * Math.exp(k.sigma ** 2 / 2)) / 1_000, 0), 0);
  const arriving = queues.reduce((sum, queue) => sum + queue.perSecond, 0);
  const places = Math.max(3, Math.ceil(busy / random.between(0.3, 0.65)), Math.ceil(arriving * (wishes.places ?? 0)));
  const replicas = wishes.replicas ?? random.int(3, 10);
  const concurrency = Math.max(1, Math.ceil(places / replicas));
  return {
    name: `${name}-${random.hex(4)}`,
    queues: queues.map((queue) => queue.name),
    replicas,
    concurrency,
    // Some pools are too small for bad days: what waits there is no cause, but it shows.
    connections: random.chance(0.2) ? Math.max(1, Math.ceil(concurrency * 0.7)) : concurrency + random.int(0, 3),
    leaseMs: random.pick([10_000, 20_000, 30_000]),
    heapMb: random.between(60, 200),
    heapLimitMb: random.pick([512, 1_024, 2_048]),
    revision: drawRevision(random),
  };
}

/** Releases are named as they come: no order can be read from the name. */
export function drawRevision(random: Random): string {
  return random.pick([`v${String(random.int(1, 400))}`, random.hex(7), `2026.${String(random.int(1, 12))}.${String(random.int(1, 28))}-${String(random.int(1, 9))}`]);
}

function drawTelling(random: Random): Telling {
  return {
    withoutRevision: random.chance(0.25) ? random.between(0.1, 0.35) : 0,
    withoutRuntime: random.chance(0.3) ? random.between(0.2, 0.7) : 0,
    wrongClocks: random.chance(0.2) ? random.between(0.1, 0.6) : 0,
    wrongByMs: random.logUniform(2_000, 400_000),
    lateWorkers: random.chance(0.15) ? random.between(0.1, 0.4) : 0,
    lateByMs: random.between(1_000, 9_000),
    queueStates: random.chance(0.5),
    codes: random.chance(0.85),
  };
}

function shuffled(list: readonly string[], random: Random): string[] {
  const all = [...list];
  for (let i = all.length - 1; i > 0; i -= 1) {
    const j = random.int(0, i);
    [all[i], all[j]] = [all[j] ?? '', all[i] ?? ''];
  }
  return all;
}
