import { drawDisturbances } from './draw/disturbances.js';
import { drawTerrain } from './draw/terrain.js';
import { letArrive, letQueuesTell } from './fleet/arrivals.js';
import { Fleet } from './fleet/fleet.js';
import type { Pool } from './fleet/terrain.js';
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
  /** Of two causes the one that most failures come of. */
  readonly truth: TruthName;
  /** The other one; null: there is one cause. */
  readonly also: TruthName | null;
  readonly shape: string;
  /** A revision, jobs (`namespace/queue/id`), locks, a host; empty: nobody. */
  readonly blamed: readonly string[];
  /** What else was going on: innocent releases, a node that went, short troubles that passed. */
  readonly besides: readonly string[];
  /** When an innocent release began at the pool; null: none did. */
  readonly releasedMs: number | null;
  /** No more is sent than before, and much still goes wrong in the last minute, as the fleet itself counts it. */
  readonly selfSustained: boolean;
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
  return played({ name: `${seeds}/${truth}/${String(index)}`, truths: [truth], of: [truth] });
}

/**
 * Two things that are wrong at once. Which of them most failures come of is seen from the same fleet with one of them alone, for
 * as long: nobody could tell it from the log.
 */
export function scenarioOfTwo(seeds: SeedSet, truths: readonly [TruthName, TruthName], index: number): Scenario {
  const name = `${seeds}/${truths.join('+')}/${String(index)}`;
  const both = played({ name, truths, of: truths });
  const [first, second] = truths.map((truth) => badOf(played({ name, truths, of: [truth], untilMs: both.askedMs })));
  const [greater, other] = (first ?? 0) >= (second ?? 0) ? truths : [truths[1], truths[0]];
  return { ...both, truth: greater, also: other };
}

function badOf({ ended }: Scenario): number {
  return ended.failed + ended.lost;
}

interface Play {
  readonly name: string;
  /** The fleet is made for all of these, and has these of them. */
  readonly truths: readonly TruthName[];
  readonly of: readonly TruthName[];
  /** Asked then; left out: when somebody would ask. */
  readonly untilMs?: number;
}

function played({ name, truths, of, untilMs }: Play): Scenario {
  const random = new Random(name);
  const wishes = truths.map((truth, i) => TRUTH[truth].wishes(random.fork(nth('wishes', i))));
  const terrain = drawTerrain(random.fork('terrain'), wishes.reduce((all, more) => ({ ...more, ...all })));
  const fleet = new Fleet(terrain, random.fork('fleet'), BEGIN_MS);
  const [main] = terrain.pools;
  if (main === undefined) throw new Error('a fleet without workers');
  const queues = terrain.queues.filter((queue) => main.queues.includes(queue.name));
  const wrongMs = BEGIN_MS + random.between(12, 16) * 60_000;
  const scene = { fleet, atMs: wrongMs, main, queues };
  const { drawn: besides, releasedMs } = drawDisturbances({ ...scene, random: random.fork('besides') }, truths);
  const injected = truths.flatMap((truth, i) => (of.includes(truth) ? TRUTH[truth].inject({ ...scene, random: random.fork(nth('truth', i)) }) : []));
  letArrive(fleet);
  letQueuesTell(fleet);
  const trigger = new Trigger(fleet, main);
  let askedMs = BEGIN_MS;
  let asks = false;
  do {
    askedMs += STEP_MS;
    fleet.agenda.runUntil(askedMs);
    asks = trigger.asks(wrongMs);
  } while (untilMs === undefined ? !asks : askedMs < untilMs);
  return {
    ...{ name, truth: truths[0] ?? 'unknown', also: null, besides, releasedMs },
    shape: injected.map(({ shape }) => shape).join(' and '),
    blamed: injected.flatMap(({ blamed }) => blamed()),
    selfSustained: arrivalsOf(fleet, main) <= NORMAL && trigger.goesOn(wrongMs),
    log: fleet.scribe.log().filter((entry) => entry.laneMs < askedMs),
    queues: main.queues,
    beginMs: BEGIN_MS,
    wrongMs,
    askedMs,
    ended: { ...fleet.attempts.counts },
  };
}

/** Of one cause the words are those of before: so are its scenarios. */
function nth(word: string, i: number): string {
  return i === 0 ? word : `${word} ${String(i + 1)}`;
}

/** So many times what comes otherwise is nothing that was sent on purpose. */
const NORMAL = 1.5;

/** How many times what used to come is drawn to come, at the pool. */
function arrivalsOf({ troubles, terrain, nowMs }: Fleet, main: Pool): number {
  const own = terrain.queues.filter(({ name }) => main.queues.includes(name));
  const times = (queue: string): number => troubles.reduce((rate, trouble) => rate * (trouble.arrivals?.(queue, nowMs) ?? 1), 1);
  return own.reduce((sum, { name, perSecond }) => sum + times(name) * perSecond, 0) / own.reduce((sum, { perSecond }) => sum + perSecond, 0);
}
