import { setTimeout as delay } from 'node:timers/promises';
import { TROUBLED } from '../settings.js';
import type { Ticket } from '../ticket.js';

export interface Handling {
  /** Aborted when the attempt is no longer wanted. */
  readonly signal: AbortSignal;
  readonly progress: (percent: number) => void;
}

/** Runs one job and resolves to its result. Most jobs just take their time; three of them do harm. */
export async function handle({ id, attempt }: Ticket, { signal, progress }: Handling): Promise<string> {
  if (id === TROUBLED.hung.id && attempt === 1) await forever(signal);
  if (id === TROUBLED.poison.id) await dieSoon(signal);
  const stepMs = id === TROUBLED.killed.id && attempt === 1 ? 800 : 150 + Math.round(Math.random() * 100);
  for (const percent of [25, 50, 75, 100]) {
    await delay(stepMs, undefined, { signal });
    progress(percent);
  }
  return 'done';
}

/** Waits for an answer that will never come. The process lives, and goes on sending heartbeats. */
async function forever(signal: AbortSignal): Promise<void> {
  await delay(2 ** 31 - 1, undefined, { signal });
}

/** What an allocation beyond the memory limit looks like from outside. */
async function dieSoon(signal: AbortSignal): Promise<void> {
  await delay(300, undefined, { signal });
  process.kill(process.pid, 'SIGKILL');
  await forever(signal);
}
