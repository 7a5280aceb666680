import { setTimeout as delay } from 'node:timers/promises';
import type { Job } from '@jobwarden/worker';

export interface Order {
  readonly items: readonly { readonly price: number; readonly count: number }[];
  /** Of the few that have one. */
  readonly voucher?: { readonly percent: number };
}

/** What an order comes to. */
export async function handle({ payload, signal }: Job<Order>): Promise<string> {
  await delay(200 + Math.random() * 150, undefined, { signal });
  const sum = payload.items.reduce((total, { price, count }) => total + price * count, 0);
  return (sum * (1 - (payload.voucher?.percent ?? 0) / 100)).toFixed(2);
}
