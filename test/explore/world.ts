import type { DecisionDraft } from '#libs/domain';
import { packCommand, packMessage, QUEUED } from './messages.js';
import { BUDGET_KEYS, type Budget, type Scenario } from './scenario.js';

/**
 * One state of the world around one job. Plain integers as far as it goes: two states are the same when these are.
 *
 *   network     facts and commands as multisets: any of them may be the next to arrive, or arrive late, or twice
 *   log         committed at once with its row; of it only what the publisher has not left behind
 *   replicas    what each of two deciders has read and not yet appended
 *   publisher   the entries above its checkpoint, and how far it has come with the first of them
 *   clock       lane time, in ticks
 */
export interface World {
  /** Number of the row. */
  readonly row: number;
  readonly now: number;
  /** The newest heartbeat of the current attempt; 0: none. */
  readonly beat: number;
  readonly epoch: number;
  /** Facts that their emitters have not been able to send. No watermark knows of them. Sorted. */
  readonly facts: readonly number[];
  /** The fact whose request is under way since `since`; 0: none. It holds the watermark back. */
  readonly flight: number;
  readonly since: number;
  readonly commands: readonly number[];
  readonly slots: readonly [number, number];
  readonly pending: readonly Pending[];
  readonly outbox: readonly Entry[];
  readonly phase: Phase;
  /** Attempts whose invalidation has been acknowledged, as bits. */
  readonly invalidated: number;
  /** The attempt whose effect the sink took last. */
  readonly sink: number;
  /** By attempt, how many runs have begun, three bits each. */
  readonly runs: number;
  /** What is left of the budget, three bits each. */
  readonly budget: number;
}

/** With the first entry above the checkpoint. */
export const PHASES = ['untouched', 'invalidated', 'written', 'sent'] as const;
export type Phase = (typeof PHASES)[number];

/** An entry of the log that something goes out for. */
export interface Entry {
  readonly command: 'enqueue' | 'stop' | null;
  readonly invalidates: boolean;
  readonly attempt: number;
}

/** What a replica has read and means to append. Where the rules hold, whatever changes the row or the lease ends it. */
export interface Pending {
  readonly drafts: readonly DecisionDraft[];
  readonly n: number;
  readonly dueMs: number;
  readonly gated: boolean;
}

export function firstWorld({ budget }: Scenario): World {
  let packed = 0;
  BUDGET_KEYS.forEach((key, i) => (packed |= Math.min(budget[key], 7) << (3 * i)));
  return {
    ...{ row: 0, now: 2, beat: 0, epoch: 0 },
    ...{ facts: [packMessage(QUEUED)], flight: 0, since: 0 },
    commands: [packCommand({ kind: 'enqueue', attempt: 1, tokenEpoch: null })],
    slots: [0, 0],
    ...{ pending: [], outbox: [], phase: 'untouched' as const },
    ...{ invalidated: 0, sink: 0, runs: 0, budget: packed },
  };
}

export function left(world: World, key: keyof Budget): number {
  return (world.budget >> (3 * BUDGET_KEYS.indexOf(key))) & 7;
}

export function spent(world: World, key: keyof Budget): number {
  return world.budget - (1 << (3 * BUDGET_KEYS.indexOf(key)));
}

export function runsOf(world: World, attempt: number): number {
  return (world.runs >> (3 * attempt)) & 7;
}

export function oneMoreRun(world: World, attempt: number): number {
  return world.runs + (1 << (3 * attempt));
}

export function withOne(sorted: readonly number[], item: number): readonly number[] {
  return [...sorted, item].sort((a, b) => a - b);
}

export function withoutOne(sorted: readonly number[], item: number): readonly number[] {
  const at = sorted.indexOf(item);
  return at < 0 ? sorted : sorted.toSpliced(at, 1);
}

export function distinct<T>(sorted: readonly T[]): readonly T[] {
  return sorted.filter((item, i) => i === 0 || item !== sorted[i - 1]);
}

/** With a worker at something else. */
export function occupied(world: World, index: number, code: number): World {
  return { ...world, slots: index === 0 ? [code, world.slots[1]] : [world.slots[0], code] };
}
