import type { Wishes } from '../draw/terrain.js';
import type { Fleet } from '../fleet/fleet.js';
import type { Job, Run } from '../fleet/run.js';
import type { Pool, Queue } from '../fleet/terrain.js';
import type { Random } from '../random.js';

export const TRUTHS = [
  'poison_job', 'bad_revision', 'lock_contention', 'connection_exhaustion', 'downstream_outage', 'memory', 'overload', 'race', 'unknown',
] as const;
export type TruthName = (typeof TRUTHS)[number];

export interface Scene {
  readonly fleet: Fleet;
  readonly random: Random;
  /** From then on something is wrong. */
  readonly atMs: number;
  /** The pool that it is about, and its queues. */
  readonly main: Pool;
  readonly queues: readonly Queue[];
}

/** What was done to the fleet. */
export interface Injected {
  /** Of several ways in which this goes wrong, the one that was drawn. */
  readonly shape: string;
  /** Who is to blame, as far as that has a name: a revision; `namespace/queue/id` of jobs, as they have come by now. */
  readonly blamed: () => readonly string[];
}

/** Something that can be wrong with a fleet. */
export interface Truth {
  readonly wishes: (random: Random) => Wishes;
  readonly inject: (scene: Scene) => Injected;
}

/** From then on, at the main pool only. */
export function here({ atMs, main }: Scene, run: Run, nowMs: number): boolean {
  return nowMs >= atMs && run.worker.pool === main;
}

export function jobName({ queue, id }: Pick<Job, 'queue' | 'id'>): string {
  return `default/${queue}/${id}`;
}

/** It grows from nothing to all within `rampMs`. */
export function ramp(nowMs: number, atMs: number, rampMs: number): number {
  return Math.min(1, Math.max(0, (nowMs - atMs) / Math.max(1, rampMs)));
}

/** How many jobs one worker of the main pool does in that time, as things are; at least three. */
export function jobsWithin({ main, queues }: Scene, ms: number): number {
  const perSecond = queues.reduce((sum, queue) => sum + queue.perSecond, 0);
  return Math.max(3, (perSecond / main.replicas) * (ms / 1_000));
}
