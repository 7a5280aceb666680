// `npm run report:dashboard`: the overview of the shipped service with 500 queues and a million jobs, in Chromium.
import pg from 'pg';
import { BenchServer } from '../../bench/bench-server.js';
import { ServerProcess } from '../../bench/server-process.js';
import { runCommand } from '../../figures/command.js';
import { launchBrowser } from '../harness/browser.js';
import { fill, fillSamples } from './fill.js';
import { answering, opening, scrolling } from './measure.js';
import { readOptions, USAGE, type ReportOptions } from './options.js';

const OPENS_WITHIN_MS = 1_000;
const TRIES = 5;

async function main({ queues, jobs }: ReportOptions): Promise<number> {
  const bench = await BenchServer.start();
  try {
    return await bench.withDatabase({}, async (database) => {
      const service = await ServerProcess.start(database);
      try {
        return await measure(`http://127.0.0.1:${String(service.port)}`, { database, queues, jobs });
      } finally {
        await service.stop();
      }
    });
  } finally {
    await bench.stop();
  }
}

async function measure(url: string, { database, queues, jobs }: { readonly database: string; readonly queues: number; readonly jobs: number }): Promise<number> {
  const { events, seconds } = await fill({ url, queues, jobs, progress: (text) => console.error(`… ${text}`) });
  const client = new pg.Client({ connectionString: database });
  await client.connect();
  await fillSamples(client);
  const { rows } = await client.query<{ jobs: string; queues: string }>('SELECT (SELECT count(*) FROM jobwarden.jobs) AS jobs, (SELECT count(*) FROM jobwarden.queues) AS queues');
  await client.end();
  console.log(`${text(rows[0]?.queues)} queues, ${text(rows[0]?.jobs)} jobs, from ${events.toLocaleString('en')} events taken in at ${Math.round(events / seconds).toLocaleString('en')} a second`);
  const answers = await times(() => answering(url));
  console.log(`GET /v1/overview           ${figures(answers.map(({ ms }) => ms))}, ${Math.round((answers[0]?.bytes ?? 0) / 1_000).toLocaleString('en')} kB`);
  const browser = await launchBrowser();
  try {
    const opened = await times(() => opening(browser, `${url}/`));
    console.log(`opened, first rows drawn   ${figures(opened)}; at most ${String(OPENS_WITHIN_MS)} ms wanted (median)`);
    const scrolled = await scrolling(browser, `${url}/`);
    console.log(`scrolled through all rows  longest frame ${scrolled.longestMs.toFixed(0)} ms of ${String(scrolled.frames)}`);
    const late = median(opened) > OPENS_WITHIN_MS;
    console.log(late ? '\nIt opens too slowly.' : '\nIt opens in time.');
    return late ? 1 : 0;
  } finally {
    await browser.close();
  }
}

async function times<T>(measureOnce: () => Promise<T>): Promise<T[]> {
  const found: T[] = [];
  for (let i = 0; i < TRIES; i += 1) found.push(await measureOnce());
  return found;
}

const text = (value: string | undefined) => Number(value ?? 0).toLocaleString('en');
const median = (values: readonly number[]) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Infinity;
const figures = (values: readonly number[]) => `median ${median(values).toFixed(0)} ms of ${String(values.length)} (${Math.min(...values).toFixed(0)} to ${Math.max(...values).toFixed(0)})`;

process.exitCode = await runCommand({ usage: USAGE, read: readOptions, run: main });
