import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Database } from '#libs/postgres';
import { pollUntil } from '#libs/testing';
import { counted } from '../checks.js';
import { mark, shown, type Bench, type Count, type Figure, type FigureResult } from '../figure.js';
import { HttpSender } from '../http-sender.js';
import { ServerProcess } from '../server-process.js';
import { openStack } from '../stack.js';
import { median, quantile } from '../statistics.js';

const QUEUE = 'mail';
/** Nothing is retried: each failure is for good. */
const POLICY = `queues: {${QUEUE}: {actions: act, idempotent: true, maxRetries: 0}}\n`;
const HTTP_BATCH = 1_000;
const PER_SECOND = 500;
const OF_THE_RATE = 0.95;
const REPORT_WITHIN_MS = 100;
const REPORTS = 300;
const EVERY_MS = 500;
const PATIENCE_MS = 600_000;

interface Size {
  readonly letters: number;
  readonly patterns: number;
}

/** Dead letters in numbers: the report by what they died of, and all of them sent round again. */
export const deadLetters: Figure = {
  name: 'dead-letters',
  title: 'Dead letters: the report of patterns, and a redrive of all',
  run: async (bench) => {
    const size = bench.quick ? { letters: 2_000, patterns: 100 } : { letters: 100_000, patterns: 1_000 };
    return await bench.server.withDatabase({}, async (url) => await measure(bench, url, size));
  },
};

async function measure(bench: Bench, url: string, size: Size): Promise<FigureResult> {
  const config = join(bench.server.folder, 'dead-letters.yaml');
  writeFileSync(config, POLICY);
  const server = await ServerProcess.start(url, { JOBWARDEN_CONFIG: config });
  const stack = await openStack(url, { poolSize: 1 });
  const base = `http://127.0.0.1:${String(server.port)}/v1/dead-letters`;
  try {
    await die(bench, server.port, size);
    await until(bench, stack.database, 'sorted', size.letters, 'SELECT count(*) FROM jobwarden.dead_letters');
    const reports = [await timed(`${base}/patterns?queue=${QUEUE}`), await timed(`${base}/patterns?queue=${QUEUE}&limit=1000`)];
    const resident = await redrive(bench, server, base, size.letters);
    return told(size, reports, resident, await counts(stack.database, size));
  } finally {
    await stack.close();
    await server.stop();
  }
}

/** Words in place of numbers: those are left out of what a pattern is. */
function word(n: number): string {
  return n.toString(26).replace(/./gu, (digit) => String.fromCharCode(97 + Number.parseInt(digit, 26)));
}

async function die(bench: Bench, port: number, { letters, patterns }: Size): Promise<void> {
  const sender = await HttpSender.open(port, '/v1/events', 'application/cloudevents-batch+json');
  const jobs = HTTP_BATCH / 2;
  for (let from = 0; from < letters; from += jobs) {
    if (from % (20 * jobs) === 0) bench.progress(`${shown(from)} of ${shown(letters)} jobs have failed`);
    await sender.post(JSON.stringify(Array.from({ length: jobs }, (_, i) => from + i).flatMap((n) => death(n, word(n % patterns)))));
  }
  sender.close();
}

function death(n: number, name: string): readonly object[] {
  const base = { specversion: '1.0', source: '/shop/mailer', subject: `mail-${String(n)}`, datacontenttype: 'application/json' };
  const stack = `MailError: ${name}\n${Array.from({ length: 12 }, (_, i) => `    at step${word(i)} (/app/${name}.js:${String(i)}:7)`).join('\n')}`;
  const error = { class: 'MailError', message: `server ${name} said no to mail ${String(n)}`, stack };
  return [
    { ...base, id: `${String(n)}-queued`, type: 'jobwarden.job.queued.v1', data: { queue: QUEUE, payload: { to: n } } },
    { ...base, id: `${String(n)}-failed`, type: 'jobwarden.job.failed.v1', data: { queue: QUEUE, attempt: 1, worker: { id: `w-${String(n % 50)}`, revision: '7' }, error } },
  ];
}

async function until(bench: Bench, database: Database, what: string, wanted: number, query: string): Promise<void> {
  await pollUntil(
    async () => {
      const { found } = await counted(database, what, wanted, query);
      bench.progress(`${shown(found)} of ${shown(wanted)} ${what}`);
      return found >= wanted;
    },
    { withinMs: PATIENCE_MS, everyMs: 2_000 },
  );
}

/** How long each of so many calls takes, one after the other, ms. */
async function timed(url: string): Promise<readonly number[]> {
  const tookMs: number[] = [];
  for (let i = 0; i < REPORTS; i += 1) {
    const begun = performance.now();
    const answer = await fetch(url);
    await answer.text();
    if (!answer.ok) throw new Error(`${url} was answered ${String(answer.status)}`);
    tookMs.push(performance.now() - begun);
  }
  return tookMs;
}

/** What the service takes meanwhile, MiB, at even intervals. */
async function redrive(bench: Bench, server: ServerProcess, base: string, letters: number): Promise<readonly number[]> {
  const call = { queue: QUEUE, reason: 'the servers are back', perSecond: PER_SECOND, count: letters };
  const answer = await fetch(`${base}/redrives`, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(call) });
  if (!answer.ok) throw new Error(`the redrive was answered ${String(answer.status)}: ${await answer.text()}`);
  const { run } = (await answer.json()) as { readonly run: { readonly id: string } };
  const resident: number[] = [];
  const deadline = performance.now() + PATIENCE_MS;
  for (;;) {
    resident.push(server.residentMiB);
    const now = (await (await fetch(`${base}/redrives/${run.id}`)).json()) as { readonly status: string; readonly redriven: number; readonly left: number };
    if (resident.length % 20 === 0) bench.progress(`${shown(now.redriven)} of ${shown(letters)} redriven`);
    if (now.status !== 'running' || performance.now() > deadline) return resident;
    await delay(EVERY_MS);
  }
}

async function counts(database: Database, { letters, patterns }: Size): Promise<readonly Count[]> {
  const sent = `SELECT count(*) FROM jobwarden.outbound WHERE kind = 'enqueue'`;
  return [
    await counted(database, 'dead letters that were sorted', letters, 'SELECT sum(letters)::bigint AS count FROM jobwarden.dead_letter_patterns'),
    await counted(database, 'patterns', patterns, 'SELECT count(*) FROM jobwarden.dead_letter_patterns'),
    await counted(database, 'jobs on their second attempt', letters, `SELECT count(*) FROM jobwarden.jobs WHERE status = 'requeued' AND attempt = 2`),
    await counted(database, 'commands', letters, sent),
  ];
}

function told({ letters, patterns }: Size, reports: readonly (readonly number[])[], resident: readonly number[], found: readonly Count[]): FigureResult {
  const [page = [], whole = []] = reports;
  const third = Math.ceil(resident.length / 3);
  const [first, last] = [median(resident.slice(0, third)), median(resident.slice(-third))];
  const p99 = quantile(whole, 0.99);
  const report = (took: readonly number[]) => `p50 ${shown(quantile(took, 0.5), 1)} ms, p99 ${shown(quantile(took, 0.99), 1)} ms`;
  const seconds = (resident.length * EVERY_MS) / 1_000;
  return {
    method: [
      `${shown(letters)} jobs that failed for good, each with a stack, of ${shown(patterns)} patterns in one queue. The report is asked for ${shown(REPORTS)} times, one`,
      `after the other, over REST. The redrive is one call, ${shown(PER_SECOND)} a second; memory is the service's resident set, read twice a second.`,
    ],
    lines: [
      `the report: a page of 100 ${report(page)}; all patterns ${report(whole)} (${mark(p99 < REPORT_WITHIN_MS)}: under ${shown(REPORT_WITHIN_MS)} ms)`,
      `the redrive: about ${shown(seconds)} s, ${shown(letters / seconds)} a second (${mark(letters / seconds >= OF_THE_RATE * PER_SECOND)}: ${shown(PER_SECOND)} wanted); resident ${shown(first)} MiB in its first third, ${shown(last)} MiB in its last`,
    ],
    values: { reportPageP99Ms: quantile(page, 0.99), reportAllP99Ms: p99, redriveSeconds: seconds, residentFirstMiB: first, residentLastMiB: last },
    raw: [{ of: 'resident memory during the redrive', unit: 'MiB', values: resident }],
    counts: found,
  };
}
