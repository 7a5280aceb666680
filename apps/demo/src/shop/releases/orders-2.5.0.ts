import { setTimeout as delay } from 'node:timers/promises';
import type { Job } from '@jobwarden/worker';
import type { Order } from './orders-2.4.0.js';

/** The same in fewer words, by somebody who was sure that every order has a voucher. */
export async function handle({ payload, signal }: Job<Order>): Promise<string> {
  await delay(200 + Math.random() * 150, undefined, { signal });
  const sum = payload.items.reduce((total, { price, count }) => total + price * count, 0);
  return (sum * (1 - (payload.voucher as { readonly percent: number }).percent / 100)).toFixed(2);
}
