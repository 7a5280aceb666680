import type { Client } from 'pg';
import { connect, connectedTo } from '../bench-server.js';
import { logCounts, wholeReads } from '../checks.js';
import { copyIn, copyOut } from '../copy.js';
import { mark, shown, type Bench, type Figure, type FigureResult } from '../figure.js';
import { JobLoad } from '../job-load.js';
import { backendMicros, ownMicros } from '../processor-time.js';
import { openStack, takeIn, WRITER, type Stack } from '../stack.js';
import { median } from '../statistics.js';
import { makeTwin, TWIN } from '../twin.js';

const REACH = 0.6;
const COPIER = 'jobwarden-bench-copy';
/** The log itself is read by the measurement, once a round. */
const GROWING = ['jobs', 'leases', 'bodies', 'verdicts'];

interface Case {
  readonly connections: number;
  readonly batch: number;
  /** Jobs under way at once, as a share of a batch's events. */
  readonly underWay: number;
  readonly name: string;
}

/** The first is the figure; the others show what it depends on. */
const CASES: readonly Case[] = [
  { connections: 1, batch: 2_000, underWay: 1, name: '1 connection, batches of 2,000' },
  { connections: 1, batch: 2_000, underWay: 0.025, name: '… most jobs whole within a batch' },
  { connections: 1, batch: 1_000, underWay: 1, name: '… batches of 1,000' },
  { connections: 1, batch: 5_000, underWay: 1, name: '… batches of 5,000' },
  { connections: 2, batch: 2_000, underWay: 1, name: '… 2 connections' },
];

/** Append and fold in batches, against COPY of the rows that came of it. */
export const batches: Figure = {
  name: 'batches',
  title: 'Append + fold in batches, against COPY of the same rows',
  run: async (bench) => {
    const parts: Omit<FigureResult, 'method'>[] = [];
    for (const one of bench.quick ? CASES.slice(0, 2) : CASES) parts.push(await measure(bench, one));
    return {
      method: [
        'Writer: the JSON text of a batch → JSON.parse → parseEvent → FactWriter → PgLogStore, one transaction a batch, one after',
        'the other on each connection; the next one is read while one is written. A job is queued, starts, succeeds; each event is',
        'the next one of a random job under way, as many of which there are as a batch has events: the three mostly lie in',
        'different batches. Built-in policies, four queues, 50 workers, 16 shards, no payloads; connections share no job.',
        'COPY: the very rows that the writer has just appended, in the order in which they lie, as ready COPY text, in batches of',
        'the same size, into a partitioned table made LIKE the log INCLUDING ALL (same columns, same indexes), over as many',
        'connections, one transaction a batch. synchronous_commit is on for both.',
        'Rounds alternate: writer, COPY, writer, COPY …, with a CHECKPOINT before each; a first round warms up and is not',
        'counted. The ratio is the median over the rounds of (time of COPY ÷ time of the writer). Processor time: of this process',
        'and of its connections in the server, per event (medians): what the ratio would say on a machine with nothing to wait for.',
      ],
      lines: parts.flatMap((p) => p.lines),
      values: Object.assign({}, ...parts.map((p) => p.values)) as Record<string, number>,
      raw: parts.flatMap((p) => p.raw),
      counts: parts.flatMap((p) => p.counts),
    };
  },
};

/** Of one side in one round: ms, and µs of processor time here and in the server. */
interface Timed {
  readonly ms: number;
  readonly here: number;
  readonly server: number | null;
}

interface Round {
  readonly writer: Timed;
  readonly copy: Timed;
}

async function measure(bench: Bench, one: Case): Promise<Omit<FigureResult, 'method'>> {
  const { connections, batch, name } = one;
  const rounds = bench.quick ? 3 : 7;
  const perRound = Math.ceil((bench.quick ? 20_000 : 60_000) / batch);
  return await bench.server.withDatabase({}, async (url) => {
    const readsBefore = await wholeReads(url, GROWING);
    const stack = await openStack(url, { poolSize: connections });
    const clients = await Promise.all(Array.from({ length: connections }, async () => await connect(url, COPIER)));
    try {
      const loads = clients.map((_, i) => new JobLoad({ seed: i + 1, underWay: batch * one.underWay }));
      const times: Round[] = [];
      for (let round = 0; round <= rounds; round += 1) {
        bench.progress(`${name}: round ${String(round)} of ${String(rounds)}`);
        const bodies = loads.map((load) => Array.from({ length: perRound }, () => JSON.stringify(load.take(batch))));
        times.push(await alternate({ url, stack, clients, bodies, batch }, round === 0));
      }
      bench.progress(`${name}: counting`);
      await stack.close();
      const perRoundInAll = perRound * batch * connections;
      const counts = await countsOf(url, (rounds + 1) * perRoundInAll, readsBefore);
      return told(one, perRoundInAll, times.slice(1), counts);
    } finally {
      await Promise.all(clients.map(async (client) => await client.end()));
      await stack.close();
    }
  });
}

interface Alternation {
  readonly url: string;
  readonly stack: Stack;
  readonly clients: readonly Client[];
  /** Of each connection. */
  readonly bodies: readonly (readonly string[])[];
  readonly batch: number;
}

async function alternate({ url, stack, clients, bodies, batch }: Alternation, first: boolean): Promise<Round> {
  const from = await shardNumbers(stack);
  const writer = await timed(url, WRITER, bodies.map((own) => async () => await takeIn(stack, own)));
  if (first) await makeTwin(url);
  const rows = await appended(url, from, batch, clients.length);
  const copy = await timed(url, COPIER, clients.map((client, i) => async () => {
    for (const lines of rows[i] ?? []) await copyIn(client, `COPY ${TWIN} FROM STDIN`, lines);
  }));
  return { writer, copy };
}

/** Nothing of what went before may still be on its way to the disk. */
async function timed(url: string, name: string, work: readonly (() => Promise<void>)[]): Promise<Timed> {
  await connectedTo(url, async (admin) => await admin.query('CHECKPOINT'));
  const server = await backendMicros(url, name);
  const here = ownMicros();
  const begun = performance.now();
  await Promise.all(work.map(async (one) => await one()));
  const ms = performance.now() - begun;
  const spent = ownMicros() - here;
  const after = await backendMicros(url, name);
  return { ms, here: spent, server: server === null || after === null ? null : after - server };
}

async function shardNumbers(stack: Stack): Promise<readonly number[]> {
  const rows = await stack.database.query<{ number: number }>('SELECT number FROM jobwarden.shards ORDER BY shard');
  return rows.map((r) => r.number);
}

/** What was appended since, as batches of COPY text for each connection. */
async function appended(url: string, from: readonly number[], batch: number, connections: number): Promise<Buffer[][]> {
  const newer = from.map((number, shard) => `(shard = ${String(shard)} AND number > ${String(number)})`).join(' OR ');
  const lines = await connectedTo(url, async (client) =>
    await copyOut(client, `COPY (SELECT * FROM jobwarden.events WHERE ${newer} ORDER BY tableoid, ctid) TO STDOUT`),
  );
  const all: Buffer[] = [];
  for (let at = 0; at < lines.length; at += batch) all.push(Buffer.concat(lines.slice(at, at + batch)));
  return Array.from({ length: connections }, (_, i) => all.filter((_batch, n) => n % connections === i));
}

/** The writer has closed its connections: what they read is known only then. */
async function countsOf(url: string, events: number, readsBefore: number): Promise<FigureResult['counts']> {
  const reads = (await wholeReads(url, GROWING)) - readsBefore;
  const owner = await openStack(url, { poolSize: 1, owner: true });
  try {
    return [{ of: 'whole tables read by the writer', expected: 0, found: reads }, ...(await logCounts(owner.database, events))];
  } finally {
    await owner.close();
  }
}

function told(one: Case, events: number, times: readonly Round[], counts: FigureResult['counts']): Omit<FigureResult, 'method'> {
  const { name, connections, batch, underWay } = one;
  const [writers, copies] = [times.map((t) => t.writer), times.map((t) => t.copy)];
  const ratio = median(times.map((t) => t.copy.ms / t.writer.ms));
  const rate = (side: readonly Timed[]): string => `${shown(events / (median(side.map((t) => t.ms)) / 1_000))}/s`;
  const per = (side: readonly Timed[], of: (t: Timed) => number | null): string =>
    shown(median(side.map((t) => of(t) ?? Number.NaN)) / events, 1);
  return {
    lines: [
      `${name}: ${shown(ratio, 2)} of COPY (reach ${shown(REACH, 1)}: ${mark(ratio >= REACH)}); writer ${rate(writers)}, COPY ${rate(copies)}; ` +
        `processor time: writer ${per(writers, (t) => t.here)} + ${per(writers, (t) => t.server)} µs, COPY ${per(copies, (t) => t.server)} µs`,
    ],
    values: { [`ratio_${String(connections)}x${String(batch)}_${String(underWay)}`]: ratio },
    raw: [
      { of: `${name}: writer, ${shown(events)} events`, unit: 'ms', values: writers.map((t) => t.ms) },
      { of: `${name}: COPY of these rows`, unit: 'ms', values: copies.map((t) => t.ms) },
    ],
    counts: counts.map((c) => ({ ...c, of: `${name}: ${c.of}` })),
  };
}
