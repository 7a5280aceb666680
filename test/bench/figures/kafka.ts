import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Client } from 'pg';
import { connect, connectedTo } from '../bench-server.js';
import { logCounts } from '../checks.js';
import { copyIn, copyOut } from '../copy.js';
import { profileShares, type ProfileShares } from '../cpu-profile.js';
import { mark, shown, type Bench, type Figure, type FigureResult } from '../figure.js';
import { JobLoad } from '../job-load.js';
import { KafkaBench } from '../kafka-load.js';
import { processMicros } from '../processor-time.js';
import { ServerProcess } from '../server-process.js';
import { openStack } from '../stack.js';
import { median } from '../statistics.js';
import { makeTwin, TWIN } from '../twin.js';

const REACH = 0.6;
const PARTITIONS = 4;
const BATCH = 2_000;
const MEMORY_MIB = 400;

/** Read before the clock runs: a service reads for weeks, and its first seconds go into compiling. */
const WARM = { quick: 20_000, whole: 60_000 };
const MEASURED = { quick: 20_000, whole: 120_000 };
/** Smaller shares of the profile are not named. */
const NAMED_SHARE = 0.02;

interface Round extends Reading {
  /** Events a second. */
  readonly copy: number;
}

interface Reading {
  /** Events a second, warm. */
  readonly service: number;
  readonly residentMiB: number;
  /** Processor time an event, µs, of service, PostgreSQL and broker; empty where the system does not tell. */
  readonly micros: readonly number[];
  /** By `process.hrtime`, µs. */
  readonly window: readonly [number, number];
}

/** From the broker into log and projection, committed, by the shipped service; against COPY of the rows that came of it. */
export const kafka: Figure = {
  name: 'kafka',
  title: 'Kafka → log and projection, committed, against COPY of the same rows',
  run: async (bench) => {
    const broker = await KafkaBench.start(PARTITIONS);
    try {
      return await bench.server.withDatabase({}, async (url) => await measure(bench, url, broker));
    } finally {
      await broker.stop();
    }
  },
};

async function measure(bench: Bench, url: string, broker: KafkaBench): Promise<FigureResult> {
  const rounds = bench.quick ? 1 : 5;
  const size = bench.quick ? 'quick' : 'whole';
  const load = new JobLoad({ seed: 1, underWay: BATCH });
  const found: Round[] = [];
  const profiles = mkdtempSync(join(bench.server.folder, 'profile-'));
  const copiers = await Promise.all([connect(url), connect(url)]);
  let [produced, shares]: [number, ProfileShares | null] = [0, null];
  const read = async (what: string, nodeOptions: readonly string[] = []): Promise<Reading> => {
    bench.progress(`${what}: produce`);
    for (const until = produced + WARM[size] + MEASURED[size]; produced < until; produced += BATCH) await broker.produce(load.take(BATCH));
    bench.progress(`${what}: read`);
    return await readAll({ bench, url, broker, nodeOptions, from: produced - MEASURED[size], to: produced });
  };
  try {
    for (let round = 0; round <= rounds; round += 1) {
      const from = await numbers(url);
      const reading = await read(`round ${String(round)} of ${String(rounds)}`);
      if (round === 0) await makeTwin(url);
      const copy = await copied(url, from, copiers);
      found.push({ ...reading, copy: (WARM[size] + MEASURED[size]) / (copy / 1_000) });
    }
    const profiled = await read('once more, for the profile', ['--cpu-prof', `--cpu-prof-dir=${profiles}`]);
    shares = profileShares(profiles, ...profiled.window);
  } finally {
    await Promise.all(copiers.map(async (client) => await client.end()));
  }
  bench.progress('counting');
  return told(found.slice(1), shares, await countsOf(url, produced));
}

interface ReadingPlan {
  readonly bench: Bench;
  readonly url: string;
  readonly broker: KafkaBench;
  readonly nodeOptions: readonly string[];
  /** Numbers in the log between which the clock runs. */
  readonly from: number;
  readonly to: number;
}

/** The service starts with everything in the topic. */
async function readAll({ bench, url, broker, nodeOptions, from, to }: ReadingPlan): Promise<Reading> {
  await connectedTo(url, async (admin) => await admin.query('CHECKPOINT'));
  const watch = await connect(url);
  const server = await ServerProcess.start(url, broker.settings, nodeOptions);
  const spent = (): readonly (number | null)[] => [
    processMicros(server.pid),
    processMicros(bench.server.pid, { withChildren: true }),
    ...broker.broker.nodes.map((node) => processMicros(node.pid)),
  ];
  try {
    let first: { at: number; count: number; spent: readonly (number | null)[] } | null = null;
    const deadline = performance.now() + 300_000;
    while (performance.now() < deadline) {
      const count = await total(watch);
      const at = nowUs();
      if (first === null && count >= from) first = { at, count, spent: spent() };
      if (first !== null && count >= to) {
        const events = count - first.count;
        const { spent: before } = first;
        const micros = spent().flatMap((us, i) => (us === null ? [] : [(us - (before[i] ?? 0)) / events]));
        return { service: events / ((at - first.at) / 1e6), residentMiB: server.residentMiB, micros, window: [first.at, at] };
      }
      await delay(10);
    }
    throw new Error(`the service did not read all events: ${String(await total(watch))} of ${String(to)}`);
  } finally {
    await watch.end();
    await server.stop();
  }
}

function nowUs(): number {
  return Number(process.hrtime.bigint() / 1_000n);
}

async function total(client: Client): Promise<number> {
  const { rows } = await client.query<{ sum: string }>('SELECT sum(number) FROM jobwarden.shards');
  return Number(rows[0]?.sum);
}

async function numbers(url: string): Promise<readonly number[]> {
  return await connectedTo(url, async (client) => {
    const { rows } = await client.query<{ number: string }>('SELECT number FROM jobwarden.shards ORDER BY shard');
    return rows.map((r) => Number(r.number));
  });
}

/** The rows of the round in batches of the same size, over two connections, as two partitions are read at once. */
async function copied(url: string, from: readonly number[], clients: readonly Client[]): Promise<number> {
  const newer = from.map((number, shard) => `(shard = ${String(shard)} AND number > ${String(number)})`).join(' OR ');
  const lines = await connectedTo(url, async (client) =>
    await copyOut(client, `COPY (SELECT * FROM jobwarden.events WHERE ${newer} ORDER BY tableoid, ctid) TO STDOUT`),
  );
  const batches: Buffer[] = [];
  for (let at = 0; at < lines.length; at += BATCH) batches.push(Buffer.concat(lines.slice(at, at + BATCH)));
  await connectedTo(url, async (admin) => await admin.query('CHECKPOINT'));
  const begun = performance.now();
  await Promise.all(
    clients.map(async (client, i) => {
      for (const batch of batches.filter((_, n) => n % clients.length === i)) {
        await copyIn(client, `COPY ${TWIN} FROM STDIN`, batch);
      }
    }),
  );
  return performance.now() - begun;
}

async function countsOf(url: string, events: number): Promise<FigureResult['counts']> {
  const owner = await openStack(url, { poolSize: 1, owner: true });
  try {
    return await logCounts(owner.database, events);
  } finally {
    await owner.close();
  }
}

function told(rounds: readonly Round[], profile: ProfileShares | null, counts: FigureResult['counts']): FigureResult {
  const ratio = median(rounds.map((r) => r.service / r.copy));
  const residentMiB = Math.max(...rounds.map((r) => r.residentMiB));
  const rate = (of: (r: Round) => number): string => `${shown(median(rounds.map(of)))}/s`;
  const micros = (i: number): number => median(rounds.map((r) => r.micros[i] ?? Number.NaN));
  return {
    method: [
      `The topic is filled first (${String(PARTITIONS)} partitions, keys by job, three events a job that lie about a batch apart); then the shipped`,
      'service starts as one process. The clock runs once it is warm (a third of what it reads), until all is committed. Broker,',
      'service and PostgreSQL share the machine. COPY: the rows that came of it, in batches of 2,000 over two connections, into a',
      'table like the log with the same indexes. Rounds alternate; the first one is not counted. The ratio is the median of the rounds’.',
      'The profile is of one more round, of the main thread by its own sampler, as shares of the time in which it was busy.',
    ],
    lines: [
      `${shown(ratio, 2)} of COPY (reach ${shown(REACH, 1)}: ${mark(ratio >= REACH)}); service ${rate((r) => r.service)}, COPY ${rate((r) => r.copy)}`,
      `the service at the end of a round: at most ${shown(residentMiB)} MiB resident (reach ${String(MEMORY_MIB)}: ${mark(residentMiB < MEMORY_MIB)})`,
      `processor time an event, µs: service ${shown(micros(0), 1)}, PostgreSQL ${shown(micros(1), 1)}, broker ${shown(micros(2), 1)}`,
      ...(profile === null ? [] : profileLines(profile)),
    ],
    values: { ratio, residentMiB, serviceMicros: micros(0), postgresMicros: micros(1), brokerMicros: micros(2) },
    raw: [
      { of: 'service', unit: 'events/s', values: rounds.map((r) => r.service) },
      { of: 'COPY', unit: 'events/s', values: rounds.map((r) => r.copy) },
      { of: 'resident memory', unit: 'MiB', values: rounds.map((r) => r.residentMiB) },
    ],
    counts,
  };
}

function profileLines({ idle, shares }: ProfileShares): string[] {
  const named = shares.filter((s) => s.share >= NAMED_SHARE).map((s) => `${s.of} ${shown(s.share * 100)} %`);
  return [`the main thread was idle for ${shown(idle * 100)} % of the time; of the rest: ${named.join(', ')}`];
}
