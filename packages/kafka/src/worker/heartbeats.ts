import { setTimeout as delay } from 'node:timers/promises';

/** kafkajs sends one only when `heartbeatInterval` is over; the other calls cost nothing. */
const EVERY_MS = 500;

/** Of what kafkajs hands to a handler: tells the group that this consumer lives. Rejects where the group is rebalancing. */
export type Heartbeat = () => Promise<void>;

/**
 * Keeps the consumer in its group while `work` goes on, however long that takes. Where the group is rebalancing, or has put the
 * consumer out, the work is not ended for that: whoever gets the record finds it held. kafkajs hears of it afterwards.
 */
export async function beating<T>(heartbeat: Heartbeat, work: Promise<T>): Promise<T> {
  const beat = () => heartbeat().catch(() => clearInterval(timer));
  const timer = setInterval(() => void beat(), EVERY_MS);
  try {
    return await work;
  } finally {
    clearInterval(timer);
  }
}

/** Waits, and keeps the consumer in its group. Ends sooner where `signal` is aborted. @throws where the group is rebalancing. */
export async function waitBeating(ms: number, heartbeat: Heartbeat, signal: AbortSignal): Promise<void> {
  for (let leftMs = ms; leftMs > 0 && !signal.aborted; leftMs -= EVERY_MS) {
    await delay(Math.min(EVERY_MS, leftMs), undefined, { signal }).catch(() => undefined);
    await heartbeat();
  }
}
