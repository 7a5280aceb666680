import { setTimeout as delay } from 'node:timers/promises';
import type { Consumer } from 'kafkajs';
import { kafkaClient } from '#libs/testing';
import { shown, type Bench, type Figure, type FigureResult, type RawValues } from '../figure.js';
import { HttpSender } from '../http-sender.js';
import { KafkaBench } from '../kafka-load.js';
import { ServerProcess } from '../server-process.js';
import { quantile } from '../statistics.js';

const PER_SECOND = 2_000;
/** What comes in the first seconds meets code that is not compiled yet and producers that are only being opened. */
const WARM_S = 5;
/** In one request; so many go out a second that the rate is met. */
const AT_ONCE = 20;

/** From the answer that says committed to the consumer of the invalidation that follows. */
export const invalidations: Figure = {
  name: 'invalidations',
  title: `Commit → consumer of an invalidation over Kafka, at ${shown(PER_SECOND)} a second`,
  run: async (bench) => await KafkaBench.during(4, async (broker) => await bench.server.withDatabase({}, async (url) => await measure(bench, url, broker))),
};

async function measure(bench: Bench, url: string, broker: KafkaBench): Promise<FigureResult> {
  const seconds = bench.quick ? 5 : 30;
  const server = await ServerProcess.start(url, broker.settings);
  const cameMs = new Map<string, number>();
  const consumer = await watch(broker, cameMs);
  try {
    const committedMs = await send(server.port, seconds * PER_SECOND, bench);
    bench.progress('waiting for the last ones');
    const deadline = performance.now() + 30_000;
    while (cameMs.size < committedMs.size && performance.now() < deadline) await delay(20);
    return told(committedMs, cameMs);
  } finally {
    await consumer.disconnect();
    await server.stop();
  }
}

async function watch(broker: KafkaBench, cameMs: Map<string, number>): Promise<Consumer> {
  const consumer = kafkaClient(broker.broker.brokers).consumer({ groupId: 'bench-cache', maxWaitTimeInMs: 100 });
  await consumer.connect();
  await consumer.subscribe({ topic: `${broker.prefix}invalidations`, fromBeginning: true });
  await consumer.run({
    partitionsConsumedConcurrently: 4,
    eachBatch: ({ batch }) => {
      const at = performance.now();
      for (const { value } of batch.messages) {
        const { data } = JSON.parse(String(value)) as { data: { jobId: string } };
        if (!cameMs.has(data.jobId)) cameMs.set(data.jobId, at);
      }
      return Promise.resolve();
    },
  });
  return consumer;
}

/** Jobs that succeed and name a key, at a steady rate; when each was answered. */
async function send(port: number, wanted: number, bench: Bench): Promise<ReadonlyMap<string, number>> {
  const committed = new Map<string, number>();
  const senders = await Promise.all(
    Array.from({ length: 16 }, async () => await HttpSender.open(port, '/v1/events', 'application/cloudevents-batch+json')),
  );
  const begun = performance.now();
  let next = 0;
  await Promise.all(
    senders.map(async (sender) => {
      while (next < wanted) {
        const first = next;
        next += AT_ONCE;
        const aheadMs = (first / PER_SECOND) * 1_000 - (performance.now() - begun);
        if (aheadMs > 0) await delay(aheadMs);
        if (first % (PER_SECOND * 5) === 0) bench.progress(`${shown(first)} of ${shown(wanted)}`);
        await sender.post(JSON.stringify(Array.from({ length: AT_ONCE }, (_, i) => success(first + i))));
        const at = performance.now();
        for (let i = 0; i < AT_ONCE; i += 1) committed.set(`job-${String(first + i)}`, at);
      }
    }),
  );
  for (const sender of senders) sender.close();
  return committed;
}

function success(n: number): object {
  return {
    specversion: '1.0',
    id: `s-${String(n)}`,
    source: 'bench',
    subject: `job-${String(n)}`,
    type: 'jobwarden.job.succeeded.v1',
    data: { queue: 'mail', attempt: 1, worker: { id: 'w' }, invalidates: { keys: [`order:${String(n)}`], tags: [] } },
  };
}

function told(committedMs: ReadonlyMap<string, number>, cameMs: ReadonlyMap<string, number>): FigureResult {
  const begun = Math.min(...committedMs.values());
  const came = [...committedMs].flatMap(([job, at]) => {
    const cameAt = cameMs.get(job);
    return cameAt === undefined ? [] : [{ tookMs: cameAt - at, cold: at - begun < WARM_S * 1_000 }];
  });
  const tookMs = (cold: boolean) => came.filter((c) => c.cold === cold).map((c) => c.tookMs);
  const [cold, warm] = [tookMs(true), tookMs(false)];
  const line = (of: readonly number[]) =>
    `p50 ${shown(quantile(of, 0.5), 1)} ms, p99 ${shown(quantile(of, 0.99), 1)} ms, of ${shown(of.length)}`;
  const first = `the first ${String(WARM_S)} s of the process: ${line(cold)}`;
  return {
    method: [
      `Successes with a key of their own, ${String(AT_ONCE)} in a request, ${shown(PER_SECOND)} a second in all, over HTTP to the shipped service: its`,
      'answer says committed. A consumer in the measuring process takes the invalidations from the topic. Both ends by one clock;',
      'an invalidation that comes before the answer counts as below zero.',
    ],
    lines: warm.length === 0 ? [first] : [line(warm), first],
    values: { p50: quantile(warm, 0.5), p99: quantile(warm, 0.99), coldP50: quantile(cold, 0.5), coldP99: quantile(cold, 0.99) },
    raw: [raw('warm', warm), raw(`first ${String(WARM_S)} s`, cold)],
    counts: [{ of: 'invalidations that came', expected: committedMs.size, found: came.length }],
  };
}

function raw(what: string, tookMs: readonly number[]): RawValues {
  const values = [0.01, 0.1, 0.5, 0.9, 0.99, 0.999].map((q) => quantile(tookMs, q));
  return { of: `commit → consumer, ${what}: p1, p10, p50, p90, p99, p99.9`, unit: 'ms', values };
}
