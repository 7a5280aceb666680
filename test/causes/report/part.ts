import { parentPort, workerData } from 'node:worker_threads';
import { judges } from '../judges/judges.js';
import { scenarioOf, scenarioOfTwo, type SeedSet } from '../scenario.js';
import type { Draw } from './plan.js';
import { count, emptyTally } from './tally.js';

/** A share of the scenarios, in a thread of its own. */
const { draws, seeds } = workerData as { draws: readonly Draw[]; seeds: SeedSet };
const rules = judges.map((judge) => ({ judge, tally: emptyTally(judge.name) }));
for (const { truth, also, index } of draws) {
  const scenario = also === undefined ? scenarioOf(seeds, truth, index) : scenarioOfTwo(seeds, [truth, also], index);
  for (const { judge, tally } of rules) count(tally, judge, scenario);
  parentPort?.postMessage({ done: 1 });
}
parentPort?.postMessage({ tallies: rules.map(({ tally }) => tally) });
