import type { Bounds } from './figure.js';

/** What BullMQ has where nobody says anything: `lockDuration` and `stalledInterval`. Jobwarden's lease is as long by default. */
const DEFAULT_MS = 30_000;
const DIVISOR = 20;

export function boundsOf(small: boolean): Bounds {
  const leaseMs = small ? DEFAULT_MS / DIVISOR : DEFAULT_MS;
  return {
    leaseMs,
    graceMs: leaseMs / 2,
    options: small ? { lockDuration: leaseMs, stalledInterval: leaseMs } : {},
    kills: Number(process.env['JOBWARDEN_TEST_KILLS'] ?? (small ? 10 : 200)),
    times: small ? 1 : 3,
  };
}
