import type { Client } from 'pg';
import { factItem } from '#libs/application';
import { parseEvent, shardOf } from '#libs/contracts';
import { periodOf } from '#libs/postgres';
import { connect } from '../bench-server.js';
import { logCounts } from '../checks.js';
import { shown, type Bench, type Figure, type FigureResult } from '../figure.js';
import { HttpSender } from '../http-sender.js';
import { JobLoad, type SentEvent } from '../job-load.js';
import { ServerProcess } from '../server-process.js';
import { openStack, type Stack } from '../stack.js';
import { median, quantile } from '../statistics.js';
import { makeTwin, TWIN } from '../twin.js';

const CLIENTS = 64;

interface Round {
  readonly perSecond: number;
  readonly p50: number;
  readonly p99: number;
}

/** Single events by many clients at once, against bare inserts. */
export const singles: Figure = {
  name: 'singles',
  title: `Single events by ${String(CLIENTS)} clients, against a bare INSERT and COMMIT of a row`,
  run: async (bench) => await bench.server.withDatabase({}, async (url) => await measure(bench, url)),
};

async function measure(bench: Bench, url: string): Promise<FigureResult> {
  const rounds = bench.quick ? 2 : 5;
  const perRound = bench.quick ? 3_000 : 20_000;
  const load = new JobLoad({ seed: 1, underWay: 2_000 });
  const stack = await openStack(url, { poolSize: 4 });
  const server = await ServerProcess.start(url);
  try {
    const senders = await Promise.all(Array.from({ length: CLIENTS }, async () =>
      await HttpSender.open(server.port, '/v1/events', 'application/cloudevents+json')));
    const clients = await Promise.all(Array.from({ length: CLIENTS }, async () => await connect(url)));
    const service: Round[] = [];
    const bare: Round[] = [];
    for (let round = 0; round <= rounds; round += 1) {
      bench.progress(`round ${String(round)} of ${String(rounds)}`);
      const events = load.take(perRound);
      service.push(await closedLoop(senders, events.map((e) => JSON.stringify(e)), post));
      if (round === 0) await makeTwin(url);
      bare.push(await closedLoop(clients, events.map((e, i) => rowOf(e, i, stack)), insert));
    }
    const serverMiB = server.residentMiB;
    senders.forEach((sender) => {
      sender.close();
    });
    await Promise.all(clients.map(async (client) => await client.end()));
    await server.stop();
    bench.progress('counting');
    const counts = await logCounts(stack.database, (rounds + 1) * perRound);
    return { ...told(service.slice(1), bare.slice(1), serverMiB), counts };
  } finally {
    await server.stop();
    await stack.close();
  }
}

/** Each client sends the next piece of work as soon as its last one is answered. */
async function closedLoop<C, W>(clients: readonly C[], work: readonly W[], send: (client: C, one: W) => Promise<void>): Promise<Round> {
  const tookMs: number[] = [];
  let next = 0;
  const begun = performance.now();
  await Promise.all(
    clients.map(async (client) => {
      for (;;) {
        const one = work[next];
        if (one === undefined) return;
        next += 1;
        const sent = performance.now();
        await send(client, one);
        tookMs.push(performance.now() - sent);
      }
    }),
  );
  const seconds = (performance.now() - begun) / 1_000;
  return { perSecond: work.length / seconds, p50: quantile(tookMs, 0.5), p99: quantile(tookMs, 0.99) };
}

async function post(sender: HttpSender, body: string): Promise<void> {
  const answer = await sender.post(body);
  if (!answer.includes('"outcome":"appended"')) throw new Error(`an event was not appended: ${answer}`);
}

const INSERT = `
INSERT INTO ${TWIN} (period, shard, number, job_key, event_key, content_hash, type, lane, lane_ms, goes_out,
                                   source, id, data)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)`;

async function insert(client: Client, values: unknown[]): Promise<void> {
  await client.query({ name: 'bare', text: INSERT, values });
}

let number = 0;

/** The row that the event becomes, ready but for its number. */
function rowOf(event: SentEvent, type: number, stack: Stack): unknown[] {
  const parsed = parseEvent(event, stack.context);
  if (!parsed.ok || parsed.kind !== 'fact') throw new Error('the load is broken');
  const { keyHex, eventKey } = factItem(parsed);
  const key = Buffer.from(keyHex, 'hex');
  number += 1;
  const now = Date.now();
  return [
    ...[periodOf(now), shardOf(key, 16), number, key, Buffer.from(eventKey, 'hex'), parsed.contentHash, type % 8],
    ...[0, now, false, parsed.source, parsed.id, parsed.data],
  ];
}

function told(service: readonly Round[], bare: readonly Round[], serverMiB: number): Omit<FigureResult, 'counts'> {
  const ratio = median(service.map((s, i) => s.perSecond / (bare[i]?.perSecond ?? Number.NaN)));
  const line = (rounds: readonly Round[]): string =>
    `${shown(median(rounds.map((r) => r.perSecond)))} events/s, p50 ${shown(median(rounds.map((r) => r.p50)), 1)} ms, ` +
    `p99 ${shown(median(rounds.map((r) => r.p99)), 1)} ms`;
  return {
    method: [
      `${String(CLIENTS)} connections, each posting its next event to POST /v1/events of the shipped service (a process of its own,`,
      'both roles, built-in policies) as soon as the last one is answered: each answer is a commit, shared by whoever waits.',
      'Bare: as many connections to PostgreSQL, each inserting the row that the event becomes into a table LIKE the log',
      'INCLUDING ALL, prepared, one commit a row: no fold, no row of a job, no counters, no HTTP. Rounds alternate; the first',
      'is not counted. Clients, service and database share the cores.',
    ],
    lines: [
      `${shown(ratio, 2)} of bare inserts; service ${line(service)}`,
      `bare inserts: ${line(bare)}`,
      `the service's memory afterwards: ${shown(serverMiB)} MiB resident`,
    ],
    values: { ratio, servicePerSecond: median(service.map((r) => r.perSecond)), serverMiB },
    raw: [
      ...(['perSecond', 'p50', 'p99'] as const).flatMap((what) => [
        { of: `service, ${what}`, unit: what === 'perSecond' ? 'events/s' : 'ms', values: service.map((r) => r[what]) },
        { of: `bare, ${what}`, unit: what === 'perSecond' ? 'events/s' : 'ms', values: bare.map((r) => r[what]) },
      ]),
    ],
  };
}
