import type { CauseWindow, WorkerSample, WorkerSeen } from './window.js';

/** Of the limit: a heap so full is collected all the time. */
export const FULL = 0.8;
/** On its way there: between two samples lies most of the way of a quick one. */
const HALF = 0.5;
const GREW = 1.5;

/** Used, of the limit; null: it was not told. */
export function fillOf({ heapUsed, heapLimit, rss }: WorkerSample): number | null {
  if (heapLimit === null || heapLimit === 0) return null;
  const used = Math.max(heapUsed ?? 0, 0);
  return used === 0 && rss === null ? null : used / heapLimit;
}

/** Near the limit at last, or half way and well above its own least or what is usual here. */
export function isFull({ samples }: WorkerSeen, usual: number): boolean {
  const fills = samples.map((s) => fillOf(s) ?? 0);
  const last = Math.max(0, ...fills.slice(-2));
  return last >= FULL || (last >= HALF && last >= GREW * Math.min(usual, ...fills));
}

/** What heaps are like where nothing ails them: the lower quartile of all that was told. 1: nothing was. */
export function usualFill({ workers }: CauseWindow): number {
  const fills = workers.flatMap((w) => w.samples.flatMap((s) => fillOf(s) ?? [])).sort((a, b) => a - b);
  return fills[Math.floor(fills.length / 4)] ?? 1;
}
