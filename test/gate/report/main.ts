import { readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { SCENARIO_NAMES, type ScenarioName } from '../fleet/scenarios.js';
import { optionsOf } from './options.js';
import type { Part } from './part.js';
import { say } from './say.js';
import { claimsOf, failuresOf, foretoldOf } from './claims.js';
import { measuredOf } from './measured.js';
import { withFigures } from './page.js';
import { add, emptyTally, type Tally } from './tally.js';

/**
 * `npm run report:gate`: rollouts are made up, by fleets at work, looked at twenty times and more each, and the gate's verdicts are
 * held against what the canary was really like, beside a test that is made for one look. Exits with 1 where the gate is
 * wrong more often than it says.
 */
const options = optionsOf(process.argv.slice(2));
if (typeof options === 'string') {
  console.error(options);
  process.exit(2);
}
const begun = Date.now();
const tallies: Tally[] = [];
for (const scenario of SCENARIO_NAMES) tallies.push(await tallyOf(scenario, scenario === 'good' ? options.rollouts : Math.ceil(options.rollouts / 4), options.seeds));
const seconds = (Date.now() - begun) / 1_000;
const found = { claims: claimsOf(tallies), foretold: foretoldOf(tallies) };
const failures = failuresOf(found, options.few);
if (options.json) console.log(JSON.stringify({ seeds: options.seeds, seconds, ...found, failures, tallies }));
else console.log(say(tallies, found, { seeds: options.seeds, seconds, failures }));
if (options.write) write();
process.exitCode = failures.length === 0 ? 0 : 1;

/** The figures, and the page that tells them. */
function write(): void {
  const root = join(import.meta.dirname, '../../../..');
  const [page, measured] = [join(root, 'docs/canary.md'), measuredOf(tallies)];
  writeFileSync(join(root, 'test/gate/measured.json'), `${JSON.stringify(measured, null, 2)}\n`);
  writeFileSync(page, withFigures(readFileSync(page, 'utf8'), measured));
}

async function tallyOf(scenario: ScenarioName, rollouts: number, seeds: string): Promise<Tally> {
  const threads = Math.min(4, availableParallelism(), rollouts);
  const cuts = Array.from({ length: threads + 1 }, (_, i) => Math.floor((rollouts * i) / threads));
  const sum = emptyTally(scenario);
  const parts = cuts.slice(1).map((to, i) => inThread({ scenario, seeds, from: cuts[i] ?? 0, to }));
  for (const part of await Promise.all(parts)) add(sum, part);
  return sum;
}

async function inThread(part: Part): Promise<Tally> {
  return await new Promise((resolve, reject) => {
    const thread = new Worker(new URL('./part.js', import.meta.url), { workerData: part });
    thread.on('message', (tally: Tally) => { resolve(tally); });
    thread.on('error', reject);
    thread.on('exit', (code) => { reject(new Error(`a part ended with ${String(code)}`)); });
  });
}
