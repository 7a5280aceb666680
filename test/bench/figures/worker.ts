import pg from 'pg';
import { createClient, createEmitter, kafkaTransport, type Emitter } from '@jobwarden/client';
import { createWorker, type JobWorker } from '@jobwarden/worker';
import { kafkaClient, pollUntil } from '#libs/testing';
import { shown, type Bench, type Figure, type FigureResult } from '../figure.js';
import { KafkaBench } from '../kafka-load.js';
import { ServerProcess } from '../server-process.js';
import { median, quantile } from '../statistics.js';

const PLACES = 16;
const HELD = [1, 100, 1_000] as const;
const LOGGER = { info: () => undefined, warn: () => undefined };

/** What one way costs a job: processor time of this process, and time until `run` has resolved, ms. */
interface Cost {
  readonly cpuMs: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

/** What the worker library adds to a job that does nothing, and what a beat costs. */
export const worker: Figure = {
  name: 'worker',
  title: 'Worker library: what it adds to a job over HTTP and over Kafka, and what a renewal costs',
  run: async (bench) => await KafkaBench.during(4, async (broker) => await bench.server.withDatabase({}, async (url) => await measure(bench, url, broker))),
};

async function measure(bench: Bench, url: string, broker: KafkaBench): Promise<FigureResult> {
  const jobs = bench.quick ? 300 : 3_000;
  const rounds = bench.quick ? 2 : 4;
  const server = await ServerProcess.start(url, broker.settings);
  const producer = kafkaClient(broker.broker.brokers).producer({ createPartitioner: () => ({ message, partitionMetadata }) => (message.key?.length ?? 0) % partitionMetadata.length });
  await producer.connect();
  const client = createClient({ url: `http://127.0.0.1:${String(server.port)}` });
  const http = createEmitter({ client, source: 'bench-http', logger: LOGGER });
  const kafka = createEmitter({ transport: kafkaTransport({ producer, topicPrefix: broker.prefix }), source: 'bench-kafka', logger: LOGGER });
  const workers = [http, kafka].map((emitter, i) => createWorker({ client, emitter, id: `bench-${String(i)}`, gates: false, commands: false, logger: LOGGER }));
  const costs: Record<'bare' | 'http' | 'kafka', Cost[]> = { bare: [], http: [], kafka: [] };
  try {
    for (let round = 0; round <= rounds; round += 1) {
      bench.progress(`round ${String(round)} of ${String(rounds)}`);
      costs.bare.push(await costOf(jobs, () => Promise.resolve()));
      costs.http.push(await costOf(jobs, (i) => one(workers[0], `h${String(round)}-${String(i)}`)));
      costs.kafka.push(await costOf(jobs, (i) => one(workers[1], `k${String(round)}-${String(i)}`)));
    }
    bench.progress('renewals');
    const beats = await Promise.all(HELD.map(async (held) => [held, await beatOf(http, held, bench.quick ? 20 : 200)] as const));
    await Promise.all([http.flush(30_000), kafka.flush(30_000)]);
    const wanted = 2 * jobs * (rounds + 1);
    const found = await succeeded(url, wanted);
    return { ...told(costs, beats), counts: [{ of: 'jobs that have succeeded', expected: wanted, found }] };
  } finally {
    await Promise.all(workers.map((w) => w.drain()));
    await producer.disconnect();
    await server.stop();
  }
}

async function one(runner: JobWorker | undefined, id: string): Promise<void> {
  const result = await runner?.run({ queue: 'bench', id, payload: {} }, () => undefined);
  if (result?.kind !== 'succeeded') throw new Error(`${id} ended as ${JSON.stringify(result)}`);
}

async function costOf(jobs: number, run: (i: number) => Promise<void>): Promise<Cost> {
  const tookMs: number[] = [];
  const cpu = process.cpuUsage();
  let next = 0;
  const place = async () => {
    while (next < jobs) {
      const begun = performance.now();
      await run(next++);
      tookMs.push(performance.now() - begun);
    }
  };
  await Promise.all(Array.from({ length: PLACES }, place));
  const { user, system } = process.cpuUsage(cpu);
  return { cpuMs: (user + system) / 1_000 / jobs, p50Ms: quantile(tookMs, 0.5), p99Ms: quantile(tookMs, 0.99) };
}

/** One heartbeat that names so many attempts, until it is answered; ms. */
async function beatOf(emitter: Emitter, held: number, times: number): Promise<number> {
  const jobs = Array.from({ length: held }, (_, i) => ({ queue: 'bench', id: `held-${String(i)}`, attempt: 1, leaseMs: 30_000 }));
  const tookMs: number[] = [];
  for (let i = 0; i < times; i += 1) {
    const begun = performance.now();
    const result = await emitter.ask({ type: 'worker-heartbeat', data: { worker: { id: `beats-${String(held)}` }, jobs } });
    if (result?.outcome !== 'recorded') throw new Error(`a beat was ${JSON.stringify(result)}`);
    tookMs.push(performance.now() - begun);
  }
  return median(tookMs);
}

async function succeeded(url: string, wanted: number): Promise<number> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const count = async () => Number((await client.query<{ count: string }>(`SELECT count(*) FROM jobwarden.jobs WHERE status = 'succeeded'`)).rows[0]?.count);
    await pollUntil(async () => (await count()) >= wanted, { withinMs: 30_000 });
    return await count();
  } finally {
    await client.end();
  }
}

function told(costs: Record<'bare' | 'http' | 'kafka', readonly Cost[]>, beats: readonly (readonly [number, number])[]): Omit<FigureResult, 'counts'> {
  const of = (way: 'bare' | 'http' | 'kafka', what: keyof Cost) => median(costs[way].slice(1).map((cost) => cost[what]));
  const line = (way: 'http' | 'kafka', name: string) =>
    `${name}: ${shown(1_000 * (of(way, 'cpuMs') - of('bare', 'cpuMs')))} µs of the worker’s processor a job, p50 ${shown(of(way, 'p50Ms'), 1)} ms, p99 ${shown(of(way, 'p99Ms'), 1)} ms until it is told`;
  return {
    method: [
      `${String(PLACES)} places, each running one job after the other whose handler does nothing: bare, by worker.run over HTTP, and over Kafka (acks=all).`,
      'Told are the start and the end of each, one request for each over HTTP. Service, broker, database and workers share the cores, so the',
      'times until it is told are those of a busy machine. A renewal is one heartbeat for everything that is held, until it is answered.',
    ],
    lines: [line('http', 'HTTP'), line('kafka', 'Kafka'), `a renewal of ${beats.map(([held, ms]) => `${shown(held)} attempts ${shown(ms, 1)} ms (${shown((1_000 * ms) / held)} µs each)`).join(', ')}`],
    values: {
      httpCpuMicros: 1_000 * (of('http', 'cpuMs') - of('bare', 'cpuMs')),
      kafkaCpuMicros: 1_000 * (of('kafka', 'cpuMs') - of('bare', 'cpuMs')),
      httpP50Ms: of('http', 'p50Ms'),
      kafkaP50Ms: of('kafka', 'p50Ms'),
      ...Object.fromEntries(beats.map(([held, ms]) => [`renewal${String(held)}Ms`, ms])),
    },
    raw: (['http', 'kafka'] as const).map((way) => ({ of: `${way}, processor time a job`, unit: 'ms', values: costs[way].map((cost) => cost.cpuMs) })),
  };
}
