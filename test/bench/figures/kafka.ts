import { setTimeout as delay } from 'node:timers/promises';
import type { Client } from 'pg';
import { connect, connectedTo } from '../bench-server.js';
import { logCounts } from '../checks.js';
import { copyIn, copyOut } from '../copy.js';
import { mark, shown, type Bench, type Figure, type FigureResult } from '../figure.js';
import { JobLoad } from '../job-load.js';
import { KafkaBench } from '../kafka-load.js';
import { ServerProcess } from '../server-process.js';
import { openStack } from '../stack.js';
import { median } from '../statistics.js';
import { makeTwin, TWIN } from '../twin.js';

const REACH = 0.6;
const PARTITIONS = 4;
const BATCH = 2_000;
const MEMORY_MIB = 400;

interface Round {
  /** Events a second, from the first commit on to the last. */
  readonly service: number;
  readonly copy: number;
  readonly residentMiB: number;
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
  const rounds = bench.quick ? 2 : 5;
  const perRound = bench.quick ? 20_000 : 100_000;
  const load = new JobLoad({ seed: 1, underWay: BATCH });
  const found: Round[] = [];
  const copiers = await Promise.all([connect(url), connect(url)]);
  try {
    for (let round = 0; round <= rounds; round += 1) {
      bench.progress(`round ${String(round)} of ${String(rounds)}: produce`);
      for (let sent = 0; sent < perRound; sent += BATCH) await broker.produce(load.take(BATCH));
      bench.progress(`round ${String(round)} of ${String(rounds)}: read`);
      const from = await numbers(url);
      const { perSecond, residentMiB } = await readAll(url, broker, perRound * (round + 1));
      if (round === 0) await makeTwin(url);
      const copy = await copied(url, from, copiers);
      found.push({ service: perSecond, copy: perRound / (copy / 1_000), residentMiB });
    }
  } finally {
    await Promise.all(copiers.map(async (client) => await client.end()));
  }
  bench.progress('counting');
  return told(found.slice(1), await countsOf(url, perRound * (rounds + 1)));
}

/** The service starts with everything in the topic. Its start is not counted: the clock runs from its first commit. */
async function readAll(
  url: string,
  broker: KafkaBench,
  wanted: number,
): Promise<{ readonly perSecond: number; readonly residentMiB: number }> {
  await connectedTo(url, async (admin) => await admin.query('CHECKPOINT'));
  const watch = await connect(url);
  const before = await total(watch);
  const server = await ServerProcess.start(url, broker.settings);
  try {
    let first: { at: number; count: number } | null = null;
    const deadline = performance.now() + 300_000;
    while (performance.now() < deadline) {
      const count = await total(watch);
      const at = performance.now();
      if (first === null && count > before) first = { at, count };
      if (first !== null && count >= wanted) {
        return { perSecond: (count - first.count) / ((at - first.at) / 1_000), residentMiB: server.residentMiB };
      }
      await delay(10);
    }
    throw new Error(`the service did not read all events: ${String(await total(watch))} of ${String(wanted)}`);
  } finally {
    await watch.end();
    await server.stop();
  }
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

function told(rounds: readonly Round[], counts: FigureResult['counts']): FigureResult {
  const ratio = median(rounds.map((r) => r.service / r.copy));
  const residentMiB = Math.max(...rounds.map((r) => r.residentMiB));
  const rate = (of: (r: Round) => number): string => `${shown(median(rounds.map(of)))}/s`;
  return {
    method: [
      `The topic is filled first (${String(PARTITIONS)} partitions, keys by job, three events a job that lie about a batch apart); then the shipped`,
      'service starts as one process, and the clock runs from its first commit until all of the round is committed. Broker,',
      'service and PostgreSQL share the machine. COPY: the rows that came of it, in batches of 2,000 over two connections, into a',
      'table like the log with the same indexes. Rounds alternate; the first one is not counted. The ratio is the median of the rounds’.',
    ],
    lines: [
      `${shown(ratio, 2)} of COPY (reach ${shown(REACH, 1)}: ${mark(ratio >= REACH)}); service ${rate((r) => r.service)}, COPY ${rate((r) => r.copy)}`,
      `the service at the end of a round: at most ${shown(residentMiB)} MiB resident (reach ${String(MEMORY_MIB)}: ${mark(residentMiB < MEMORY_MIB)})`,
    ],
    values: { ratio, residentMiB },
    raw: [
      { of: 'service', unit: 'events/s', values: rounds.map((r) => r.service) },
      { of: 'COPY', unit: 'events/s', values: rounds.map((r) => r.copy) },
      { of: 'resident memory', unit: 'MiB', values: rounds.map((r) => r.residentMiB) },
    ],
    counts,
  };
}
