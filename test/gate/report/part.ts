import { parentPort, workerData } from 'node:worker_threads';
import { Random } from '../../causes/random.js';
import { SCENARIOS, type ScenarioName } from '../fleet/draw.js';
import { looksAt } from '../fleet/looks.js';
import { count, emptyTally } from './tally.js';

export interface Part {
  readonly scenario: ScenarioName;
  readonly seeds: string;
  readonly from: number;
  readonly to: number;
}

const { scenario, seeds, from, to } = workerData as Part;
const tally = emptyTally(scenario);
for (let i = from; i < to; i += 1) {
  const random = new Random(`${seeds}/${scenario}/${String(i)}`);
  count(tally, looksAt(SCENARIOS[scenario](random.fork('draw')), random.fork('run')));
}
parentPort?.postMessage(tally);
