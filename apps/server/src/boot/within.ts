import { setTimeout as delay } from 'node:timers/promises';

/** Waits for the end of a part, but not for ever: whatever it waits for may never come. @throws when it was too late. */
export async function within(ms: number, work: Promise<unknown> | undefined): Promise<void> {
  const over = new AbortController();
  const late = delay(ms, true, { signal: over.signal }).catch(() => false);
  const ended = Promise.resolve(work).then(() => false);
  try {
    if (await Promise.race([ended, late])) throw new Error(`it had not ended after ${String(ms)} ms`);
  } finally {
    over.abort();
  }
}
