/**
 * Fencing tokens. One grant = one attempt = one token = epoch × 2³² + attempt: they only rise, also over a
 * restore, which raises the epoch. The epoch stays below 2²¹ so that a token is a safe integer (below 2⁵³).
 */
const ATTEMPTS_PER_EPOCH = 2 ** 32;

export const MAX_TOKEN = Number.MAX_SAFE_INTEGER;

export function tokenOf(epoch: number, attempt: number): number {
  return epoch * ATTEMPTS_PER_EPOCH + attempt;
}

export function attemptOfToken(token: number): number {
  return token % ATTEMPTS_PER_EPOCH;
}

export function epochOfToken(token: number): number {
  return Math.floor(token / ATTEMPTS_PER_EPOCH);
}

/** The epoch after a restore: the larger of the stored one + 1 and the hours since 2020 (UTC). */
export function nextEpoch(storedEpoch: number, nowMs: number): number {
  const hoursSince2020 = Math.floor((nowMs - Date.UTC(2020, 0, 1)) / 3_600_000);
  return Math.max(storedEpoch + 1, hoursSince2020);
}
