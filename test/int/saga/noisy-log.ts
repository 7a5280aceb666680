import type { Ran } from '../../incidents/play.js';

/** What two hundred queues tell of the same trouble, each in its own words and with what always fails beside it. */

export const QUEUES: readonly string[] = Array.from({ length: 200 }, (_, i) => `q${String(i)}`);

/** Minute. */
const BEGINS = 8;

interface Told {
  readonly at: number;
  readonly chance: () => number;
}

const failed = (error: NonNullable<Ran['error']>, ms = 400): Ran => ({ ms, error });

const NOISE: readonly NonNullable<Ran['error']>[] = [
  { class: 'TypeError', message: "Cannot read properties of undefined (reading 'total')" },
  { class: 'ValidationError', message: 'the address is none' },
  { class: 'Error', message: 'not now' },
];

const noise = ({ chance }: Told): Ran | null => (chance() < 0.03 ? failed(NOISE[Math.floor(chance() * NOISE.length)] ?? { class: 'Error', message: 'not now' }) : null);

/** The words of one service that is away: by its name, its address, its proxy, or by nothing but slowness. */
const AWAY: readonly NonNullable<Ran['error']>[] = [
  { class: 'AxiosError', code: 'ECONNREFUSED', message: 'connect ECONNREFUSED https://api.example.com' },
  { class: 'FetchError', code: 'ENOTFOUND', message: 'getaddrinfo ENOTFOUND api.example.com' },
  { class: 'Error', code: 'ECONNREFUSED', message: 'connect ECONNREFUSED 10.1.2.3:8443' },
  { class: 'HttpError', responseStatus: 503, message: 'upstream said 503' },
  { class: 'Error', code: 'ECONNRESET', message: 'read ECONNRESET' },
  { class: 'Error', code: 'UND_ERR_HEADERS_TIMEOUT', message: 'Headers Timeout Error' },
];

const away = (queue: number, told: Told): Ran => {
  // Most of a queue's calls fail in one way, some in another.
  const own = AWAY[queue % AWAY.length];
  const error = told.chance() < 0.75 ? own : AWAY[Math.floor(told.chance() * AWAY.length)];
  return told.chance() < 0.1 ? failed({ class: 'TimeoutError', message: 'timed out after 30000 ms' }, 3_000) : failed(error ?? { class: 'Error', message: 'not now' });
};

/** Every tenth is nearly idle: nothing can be said of it alone. */
const failsAt = (queue: number): number => (queue % 10 === 9 ? 0.35 : 0.6 + (queue % 4) * 0.1);

/** One outage for all. */
export const oneOutage = (queue: number) => (told: Told): Ran =>
  told.at > BEGINS && told.chance() < failsAt(queue) ? away(queue, told) : (noise(told) ?? { ms: 500 });

const LOCKED: readonly ((queue: number) => NonNullable<Ran['error']>)[] = [
  (queue) => ({ class: 'DatabaseError', code: '55P03', message: `could not obtain lock on row in relation "accounts_${String(queue)}"` }),
  () => ({ class: 'DatabaseError', code: '40P01', message: 'deadlock detected' }),
  (queue) => ({ class: 'ResourceLockedError', message: `unable to achieve a quorum for lock:q${String(queue)}` }),
];

/** The first half calls what is away, the other waits for locks. */
export const bothAtOnce = (queue: number) => (told: Told): Ran => {
  if (told.at <= BEGINS || told.chance() >= failsAt(queue)) return noise(told) ?? { ms: 500 };
  if (queue < QUEUES.length / 2) return away(queue, told);
  return failed(LOCKED[queue % LOCKED.length]?.(queue) ?? { class: 'Error', message: 'not now' }, 3_000);
};
