import { counted } from '../checks.js';
import { shown, type Bench, type Figure, type FigureResult } from '../figure.js';
import { HttpSender } from '../http-sender.js';
import { JobLoad } from '../job-load.js';
import { residentMiB, ServerProcess } from '../server-process.js';
import { openStack, takeIn } from '../stack.js';

/** What the limits let through in one request. */
const HTTP_BATCH = 1_000;
const BATCH = 2_000;

/** What the processes take. */
export const memory: Figure = {
  name: 'memory',
  title: 'Memory, resident',
  run: async (bench) => await bench.server.withDatabase({}, async (url) => await measure(bench, url)),
};

async function measure(bench: Bench, url: string): Promise<FigureResult> {
  const batches = bench.quick ? 20 : 200;
  const before = residentMiB(process.pid);
  const stack = await openStack(url, { poolSize: 2 });
  try {
    bench.progress('batches in this process');
    const load = new JobLoad({ seed: 1, underWay: BATCH });
    for (let i = 0; i < batches; i += 1) await takeIn(stack, [JSON.stringify(load.take(BATCH))]);
    const after = residentMiB(process.pid);
    bench.progress('batches over HTTP');
    const service = await overHttp(url, batches);
    const events = batches * (BATCH + HTTP_BATCH);
    const counts = [await counted(stack.database, 'events in the log', events, 'SELECT count(*) FROM jobwarden.events')];
    return told(batches, { before, after, ...service }, counts);
  } finally {
    await stack.close();
  }
}

async function overHttp(url: string, batches: number): Promise<{ idle: number; busy: number }> {
  const server = await ServerProcess.start(url);
  try {
    const idle = server.residentMiB;
    const sender = await HttpSender.open(server.port, '/v1/events', 'application/cloudevents-batch+json');
    const load = new JobLoad({ seed: 2, underWay: HTTP_BATCH });
    for (let i = 0; i < batches; i += 1) await sender.post(JSON.stringify(load.take(HTTP_BATCH)));
    sender.close();
    return { idle, busy: server.residentMiB };
  } finally {
    await server.stop();
  }
}

interface Resident {
  readonly before: number;
  readonly after: number;
  readonly idle: number;
  readonly busy: number;
}

function told(batches: number, m: Resident, counts: FigureResult['counts']): FigureResult {
  const events = `${shown(batches)} batches of ${shown(BATCH)}`;
  return {
    method: [
      'Resident set size as `ps` tells it, in MiB. This process: it makes the load as well, so the growth is what counts. The service:',
      `a process of its own, after its start and after ${shown(batches)} requests of ${shown(HTTP_BATCH)} events, one after the other.`,
    ],
    lines: [
      `this process: ${shown(m.before)} MiB before, ${shown(m.after)} MiB after ${events} events`,
      `the service: ${shown(m.idle)} MiB when it was ready, ${shown(m.busy)} MiB after ${shown(batches * HTTP_BATCH)} events over HTTP`,
    ],
    values: { ...m },
    raw: [],
    counts,
  };
}
