import { setTimeout as delay } from 'node:timers/promises';
import type { Api, CloudEvent, Run } from './api.js';
import type { Step } from './data.js';

/** Called after each look, before the clock moves on: what the look decided has its consequences first. */
export type AfterLook = (run: Run, nowMs: number) => Promise<void>;

/** Events that go into one request: those of one instant, or of `spanMs` when that much blur does not matter. */
export function* batches(steps: readonly Step[], spanMs: number): Generator<{ ms: number; events: CloudEvent[] }> {
  let batch: { ms: number; events: CloudEvent[] } | null = null;
  let firstMs = 0;
  for (const { ms, event } of steps) {
    if (batch !== null && (ms - firstMs > spanMs || batch.events.length >= 500)) {
      yield batch;
      batch = null;
    }
    if (batch === null) {
      batch = { ms, events: [] };
      firstMs = ms;
    }
    batch.ms = ms;
    batch.events.push(event);
  }
  if (batch !== null) yield batch;
}

/**
 * Moves the clock on to `ms`, looking at whatever falls due on the way: in its own time, or, where that does not matter,
 * up to `grainMs` later together with its neighbours.
 */
export async function advance(api: Api, ms: number, afterLook: AfterLook, grainMs = 0): Promise<void> {
  for (;;) {
    let nowMs = await api.clock(ms, { untilDue: true });
    if (nowMs >= ms) return;
    if (grainMs > 0) nowMs = await api.clock(Math.min(ms, nowMs + grainMs), { untilDue: false });
    await look(api, nowMs, afterLook);
  }
}

/** Looks until nothing is due. */
export async function look(api: Api, nowMs: number, afterLook: AfterLook): Promise<void> {
  for (;;) {
    const run = await api.reconcile();
    await afterLook(run, nowMs);
    if (run.looked === 0) return;
    // Held back until what came has been read: another look at once would find the same.
    if (run.rows.every((row) => row.outcome === 'held') && run.rows.length > 0) await delay(20);
  }
}
