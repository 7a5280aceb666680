import { OUTCOME_SLOT_MS, runTimeBucket, type GateRow, type GateRows, type GateRunTimeRow, type GateSeen } from '#libs/domain';
import type { Ended } from './rollout.js';

/** What the service keeps of them: counts of 10 s, by whoever did it. */
export function rowsOf(ended: Iterable<Ended>): GateRows {
  const counts = new Map<string, Writable<GateRow>>();
  const runTimes = new Map<string, Writable<GateRunTimeRow>>();
  for (const { atMs, kind, revision, track, end, dead, runMs } of ended) {
    const slotMs = atMs - (atMs % OUTCOME_SLOT_MS);
    const key = `${String(slotMs)} ${kind} ${revision}`;
    let row = counts.get(key);
    if (row === undefined) counts.set(key, (row = { slotMs, kind, revision, track, succeeded: 0, failed: 0, lost: 0, deadLettered: 0 }));
    row[end] += 1;
    if (dead) row.deadLettered += 1;
    if (end !== 'succeeded') continue;
    const bucket = runTimeBucket(runMs);
    const cell = runTimes.get(`${key} ${String(bucket)}`);
    if (cell === undefined) runTimes.set(`${key} ${String(bucket)}`, { slotMs, kind, revision, track, bucket, count: 1 });
    else cell.count += 1;
  }
  return { counts: [...counts.values()], runTimes: [...runTimes.values()] };
}

type Writable<T> = { -readonly [K in keyof T]: T[K] };

/** Whoever was heard of up to a time. */
export function seenIn({ counts }: GateRows, nowMs: number): readonly GateSeen[] {
  const seen = new Map<string, Writable<GateSeen>>();
  for (const { slotMs, revision, track } of counts) {
    if (slotMs >= nowMs) continue;
    const own = seen.get(revision);
    if (own === undefined) seen.set(revision, { revision, track, firstMs: slotMs, lastMs: slotMs });
    else [own.firstMs, own.lastMs] = [Math.min(own.firstMs, slotMs), Math.max(own.lastMs, slotMs)];
  }
  return [...seen.values()];
}
