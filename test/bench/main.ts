import { writeFileSync } from 'node:fs';
import { BenchServer } from './bench-server.js';
import { runCommand } from '../figures/command.js';
import type { Bench, Figure } from './figure.js';
import { batches } from './figures/batches.js';
import { deadLetters } from './figures/dead-letters.js';
import { disk } from './figures/disk.js';
import { heldSnapshot } from './figures/held-snapshot.js';
import { invalidations } from './figures/invalidations.js';
import { kafka } from './figures/kafka.js';
import { memory } from './figures/memory.js';
import { singles } from './figures/singles.js';
import { sweep } from './figures/sweep.js';
import { worker } from './figures/worker.js';
import { readOptions, USAGE, type BenchOptions } from './options.js';
import { figureText, json, machine, machineLine, missed, type Told } from './report.js';

const FIGURES: readonly Figure[] = [batches, singles, sweep, heldSnapshot, disk, memory, kafka, invalidations, worker, deadLetters];

async function main(options: BenchOptions): Promise<number> {
  const server = await BenchServer.start();
  try {
    return await measureAll(server, options);
  } finally {
    await server.stop();
  }
}

async function measureAll(server: BenchServer, options: BenchOptions): Promise<number> {
  const facts = machine(server.version);
  console.log(machineLine(facts));
  if (options.quick) console.log('--quick: a look at the counts; the ratios say little.');
  const told: Told[] = [];
  for (const figure of options.figures) {
    const begun = performance.now();
    const result = await figure.run(benchOf(server, options, figure));
    told.push({ figure, result, seconds: (performance.now() - begun) / 1_000 });
    console.log(figureText({ figure, result, seconds: (performance.now() - begun) / 1_000 }));
  }
  if (options.json !== null) writeFileSync(options.json, json(facts, options.quick, told));
  const wrong = told.flatMap(({ result }) => missed(result.counts));
  console.log(wrong.length === 0 ? '\nEvery count is as expected.' : `\n${String(wrong.length)} count(s) missed.`);
  return wrong.length === 0 ? 0 : 1;
}

function benchOf(server: BenchServer, { quick }: BenchOptions, { name }: Figure): Bench {
  return { server, quick, progress: (text) => console.error(`… ${name}: ${text}`) };
}

process.exitCode = await runCommand({ usage: USAGE, read: (args) => readOptions(args, FIGURES), run: main });
