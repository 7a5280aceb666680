import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import type { SimulatedPool } from './pool.js';

export type SimulatedPools = Readonly<Record<string, SimulatedPool>>;

/** Where simulated pools are kept. For one process at a time. */
export interface SimulatedStore {
  load(): SimulatedPools;
  save(pools: SimulatedPools): void;
}

export function memoryStore(pools: SimulatedPools = {}): SimulatedStore {
  let kept = pools;
  return { load: () => kept, save: (next) => void (kept = next) };
}

/** A JSON file: the pools outlive the process that acts on them, as a cluster does. Who makes the file says which pools there are. @throws where there is none. */
export function fileStore(path: string): SimulatedStore {
  return {
    load: () => JSON.parse(readFileSync(path, 'utf8')) as SimulatedPools,
    save: (pools) => {
      // A reader never sees half of it.
      writeFileSync(`${path}.next`, JSON.stringify(pools));
      renameSync(`${path}.next`, path);
    },
  };
}
