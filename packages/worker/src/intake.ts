import { setTimeout as delay } from 'node:timers/promises';
import { QueueClosedError } from './errors.js';
import type { Gates } from './gates.js';

/** What a producer does while its queue is paused or throttled. */
export interface IntakeOptions {
  /** `delay` waits, `reject` throws QueueClosedError with the time after which to come again, `ignore` does not ask. */
  readonly whenPaused?: 'delay' | 'reject' | 'ignore';
  /** How long `delay` waits, ms; then it throws QueueClosedError. Default 30,000. */
  readonly maxDelayMs?: number;
  readonly signal?: AbortSignal;
}

/** `delay` looks again at least so often, ms: what was paused may be resumed. */
const LOOK_MS = 1_000;

/**
 * Waits until `places` jobs may be put into the queue. Several pass as one: a throttle then keeps the next one for as long as they take.
 * @throws QueueClosedError
 */
export async function intake(queue: string, places: number, { whenPaused = 'delay', maxDelayMs = 30_000, signal }: IntakeOptions, gates: Gates): Promise<void> {
  if (whenPaused === 'ignore') return;
  const deadlineMs = performance.now() + maxDelayMs;
  for (;;) {
    signal?.throwIfAborted();
    const passage = await gates.pass(queue, places);
    if (passage.kind === 'open') return;
    const leftMs = deadlineMs - performance.now();
    if (whenPaused === 'reject' || leftMs <= 0) throw new QueueClosedError(queue, passage.code, passage.retryAfterMs);
    await delay(Math.min(passage.retryAfterMs, leftMs, LOOK_MS), undefined, signal === undefined ? {} : { signal });
  }
}
