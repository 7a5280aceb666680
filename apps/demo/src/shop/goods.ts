import type { Order } from './counter.js';

/** What the shop sells to whom; drawn by number, so that every run of the demo is alike. */

const CUSTOMERS = ['Ada Byron', 'Grace Hopper', 'Edsger Dijkstra', 'Barbara Liskov', 'Tony Hoare'] as const;
const PRICES = [4.5, 12, 19.9, 49, 129] as const;

/** Those of the German branch come with a decimal comma. */
const WITH_A_COMMA: Readonly<Record<number, string>> = { 3: '1299,50', 5: '84,90', 8: '249,00' };
/** One more in so many, so that there is always one to mend. */
const COMMA_EVERY = 60;

export function invoice(n: number): Order {
  const amount = WITH_A_COMMA[n] ?? (n % COMMA_EVERY === 0 ? `${String(n)},50` : (n * 7.25).toFixed(2));
  return { id: `invoice-${String(1_000 + n)}`, kind: 'invoice', payload: { customer: customer(n), amount, currency: 'EUR' } };
}

/** None has a voucher. */
export function order(n: number): Order {
  const items = [0, 1].map((i) => ({ price: PRICES[(n + i) % PRICES.length] ?? 1, count: 1 + ((n + i) % 3) }));
  return { id: `order-${String(20_000 + n)}`, kind: 'order', payload: { customer: customer(n), items } };
}

/** One in so many goes to all readers at once. */
const EVERYBODY_EVERY = 30;

export function mailing(n: number): Order {
  const toAll = n % EVERYBODY_EVERY === 2;
  return { id: `${toAll ? 'newsletter-to-everybody' : 'newsletter'}-${String(n)}`, kind: toAll ? 'mass-mailing' : 'mailing', payload: { to: toAll ? 'everybody' : customer(n) } };
}

function customer(n: number): string {
  return CUSTOMERS[n % CUSTOMERS.length] ?? CUSTOMERS[0];
}
