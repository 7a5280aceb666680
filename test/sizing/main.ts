import { cpus } from 'node:os';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { BenchServer } from '../bench/bench-server.js';
import { runCommand } from '../figures/command.js';
import { strayed, type Measured } from './formula.js';
import { measure, type Costs, type Plan } from './measure.js';
import { tables, withTables } from './page.js';

const USAGE = `npm run report:sizing -- [--quick] [--write]

Sends jobs through the shipped service on a PostgreSQL of its own, and prints what one leaves and takes, and what so many a day
need. Disk and log hardly depend on the machine, processor times do: run it on yours.
  --quick   a tenth of the jobs: the figures then say little
  --write   writes docs/sizing.md and what it is made of, test/sizing/measured.json
Exits with 1 when the bytes of a job are others than those that the page was made of, never because of a time.`;

const ROOT = join(import.meta.dirname, '../../..');
const PLANS: readonly Plan[] = [
  { name: '200 B of payload, no retry', jobs: 5_000, payloadBytes: 200, retries: 0, eventsPerRequest: 100 },
  { name: '… every event a request', jobs: 1_000, payloadBytes: 200, retries: 0, eventsPerRequest: 1 },
  { name: '… one retry', jobs: 2_000, payloadBytes: 200, retries: 1, eventsPerRequest: 100 },
  { name: '2 kB of payload', jobs: 2_000, payloadBytes: 2_000, retries: 0, eventsPerRequest: 100 },
  { name: '20 kB of payload', jobs: 600, payloadBytes: 20_000, retries: 0, eventsPerRequest: 20 },
];

interface Options {
  readonly quick: boolean;
  readonly write: boolean;
  readonly help: boolean;
}

function read(args: readonly string[]): Options {
  const { values } = parseArgs({ args: [...args], options: { quick: { type: 'boolean', default: false }, write: { type: 'boolean', default: false }, help: { type: 'boolean', default: false } } });
  return values;
}

async function run({ quick, write }: Options): Promise<number> {
  const server = await BenchServer.start();
  const costs: Costs[] = [];
  try {
    for (const plan of PLANS) {
      process.stderr.write(`… ${plan.name}\n`);
      costs.push(await measure(server, quick ? { ...plan, jobs: plan.jobs / 10 } : plan));
    }
  } finally {
    await server.stop();
  }
  const measured = together(costs, server.version);
  process.stdout.write(`${tables(measured)}\n`);
  const kept = JSON.parse(readFileSync(join(ROOT, 'test/sizing/measured.json'), 'utf8')) as Measured;
  if (write) {
    writeFileSync(join(ROOT, 'test/sizing/measured.json'), `${JSON.stringify(measured, null, 2)}\n`);
    const page = join(ROOT, 'docs/sizing.md');
    writeFileSync(page, withTables(readFileSync(page, 'utf8'), measured));
  }
  // Of a tenth of the jobs pages and checkpoints are most of what is measured.
  const strays = write || quick ? [] : strayed(measured, kept);
  for (const line of strays) process.stdout.write(`Missed: ${line}\n`);
  return strays.length === 0 ? 0 : 1;
}

function together(costs: readonly Costs[], version: string): Measured {
  const mean = (of: (cost: Costs) => number): number => costs.reduce((sum, cost) => sum + of(cost), 0) / costs.length;
  return {
    machine: `${String(cpus().length)} shared cores, Node ${process.versions.node.split('.')[0] ?? ''}, PostgreSQL ${version.split('.')[0] ?? ''} with the settings of the embedded one`,
    profiles: costs.map(({ profile }) => profile),
    summaryBytes: costs[0]?.summaryBytes ?? 0,
    idleServiceCores: mean((cost) => cost.idleServiceCores),
    idlePostgresCores: mean((cost) => cost.idlePostgresCores),
    serviceMiB: Math.max(...costs.map((cost) => cost.serviceMiB)),
  };
}

process.exitCode = await runCommand({ usage: USAGE, read, run });
