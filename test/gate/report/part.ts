import { parentPort, workerData } from 'node:worker_threads';
import { Random } from '../../causes/random.js';
import { looksAt } from '../fleet/looks.js';
import { scenarioOf, type ScenarioName } from '../fleet/scenarios.js';
import { count, emptyTally } from './tally.js';

export interface Part {
  readonly scenario: ScenarioName;
  readonly seeds: string;
  readonly from: number;
  readonly to: number;
}

const { scenario, seeds, from, to } = workerData as Part;
const tally = emptyTally(scenario);
const made = scenarioOf(scenario);
for (let i = from; i < to; i += 1) {
  const random = new Random(`${seeds}/${scenario}/${String(i)}`);
  count(tally, looksAt(made.draw(random.fork('draw')), random.fork('run'), made));
}
parentPort?.postMessage(tally);
