import { drawDisturbances } from './draw/disturbances.js';
import { drawTerrain } from './draw/terrain.js';
import { letArrive, letQueuesTell } from './fleet/arrivals.js';
import { Fleet } from './fleet/fleet.js';
import type { LogEntry } from './log/entry.js';
import { Random } from './random.js';
import { Trigger } from './trigger.js';
import { badRevision } from './truths/bad-revision.js';
import { connectionExhaustion } from './truths/connection-exhaustion.js';
import { downstreamOutage } from './truths/downstream-outage.js';
import { lockContention } from './truths/lock-contention.js';
import { memory } from './truths/memory.js';
import { overload } from './truths/overload.js';
import { poisonJob } from './truths/poison-job.js';
import { race } from './truths/race.js';
import type { Truth, TruthName } from './truths/truth.js';
import { unknown } from './truths/unknown.js';

const TRUTH: Readonly<Record<TruthName, Truth>> = {
  poison_job: poisonJob,
  bad_revision: badRevision,
  lock_contention: lockContention,
  connection_exhaustion: connectionExhaustion,
  downstream_outage: downstreamOutage,
  memory,
  overload,
  race,
  unknown,
};

export const SEED_SETS = ['training', 'held-out'] as const;
export type SeedSet = (typeof SEED_SETS)[number];

/** An incident: what was wrong, and all that the log knows of it. */
export interface Scenario {
  /** `training/poison_job/17`: makes the same scenario again. */
  readonly name: string;
  readonly truth: TruthName;
  readonly shape: string;
  /** A revision, jobs (`namespace/queue/id`), locks, a host; empty: nobody. */
  readonly blamed: readonly string[];
  /** What else was going on: innocent releases, a node that went, short troubles that passed. */
  readonly besides: readonly string[];
  readonly log: readonly LogEntry[];
  /** Of the pool that the alert is about. */
  readonly queues: readonly string[];
  /** The log begins here; nothing was wrong until `wrongMs`, and the question is asked at `askedMs`. */
  readonly beginMs: number;
  readonly wrongMs: number;
  readonly askedMs: number;
  /** Of the main pool. */
  readonly ended: Readonly<Record<'succeeded' | 'failed' | 'lost', number>>;
}

const BEGIN_MS = Date.UTC(2026, 0, 31, 9);
const STEP_MS = 10_000;

/** Deterministic: the same name is the same scenario, to the last event. */
export function scenarioOf(seeds: SeedSet, truth: TruthName, index: number): Scenario {
  const name = `${seeds}/${truth}/${String(index)}`;
  const random = new Random(name);
  const terrain = drawTerrain(random.fork('terrain'), TRUTH[truth].wishes(random.fork('wishes')));
  const fleet = new Fleet(terrain, random.fork('fleet'), BEGIN_MS);
  const [main] = terrain.pools;
  if (main === undefined) throw new Error('a fleet without workers');
  const queues = terrain.queues.filter((queue) => main.queues.includes(queue.name));
  const wrongMs = BEGIN_MS + random.between(12, 16) * 60_000;
  const besides = drawDisturbances({ fleet, random: random.fork('besides'), atMs: wrongMs, main, queues }, truth);
  const injected = TRUTH[truth].inject({ fleet, random: random.fork('truth'), atMs: wrongMs, main, queues });
  letArrive(fleet);
  letQueuesTell(fleet);
  const trigger = new Trigger(fleet, main);
  let askedMs = BEGIN_MS;
  do {
    askedMs += STEP_MS;
    fleet.agenda.runUntil(askedMs);
  } while (!trigger.asks(wrongMs));
  return {
    name,
    truth,
    shape: injected.shape,
    blamed: injected.blamed(),
    besides,
    log: fleet.scribe.log().filter((entry) => entry.laneMs < askedMs),
    queues: main.queues,
    beginMs: BEGIN_MS,
    wrongMs,
    askedMs,
    ended: { ...fleet.attempts.counts },
  };
}
