/** Names kept apart per queue at once: releases come and go, and so do kinds; more are somebody's ids. */
const MOST_NAMES = 32;
/** A name that was not heard of for so long makes room for a new one, ms of lane time. */
const FORGOTTEN_AFTER_MS = 3_600_000;

/** Stands for all names that found no room. */
export const OTHER = 'other';

/**
 * Keeps the number of names per queue bounded, or whoever reports an id where a release is meant would make a row of
 * each. A new name is always let in where an old one has not been heard of for an hour: the newest release is the one
 * that matters. Per process, so several replicas may together know more.
 */
export class BoundedNames {
  private readonly queues = new Map<number, Map<string, number>>();

  constructor(private readonly most = MOST_NAMES) {}

  of(queueId: number, name: string, atMs: number): string {
    if (name === '') return name;
    let names = this.queues.get(queueId);
    if (names === undefined) this.queues.set(queueId, (names = new Map<string, number>()));
    const heardMs = names.get(name);
    if (heardMs === undefined && names.size >= this.most && !makeRoom(names, atMs)) return OTHER;
    if (heardMs === undefined || atMs > heardMs) names.set(name, atMs);
    return name;
  }
}

function makeRoom(names: Map<string, number>, atMs: number): boolean {
  for (const [name, heardMs] of names) {
    if (atMs - heardMs < FORGOTTEN_AFTER_MS) continue;
    names.delete(name);
    return true;
  }
  return false;
}
