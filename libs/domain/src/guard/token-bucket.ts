/**
 * A budget as a token bucket in lane time: `burst` after a quiet time, then `perSecond`. Plain arithmetic; who keeps the
 * bucket makes sure that nobody spends a token twice.
 *
 * Who finds no token gets a place in the line: the time at which it will be its turn, should everybody before it come.
 * The line is a hint only. Those who do not come leave their tokens to the others, and a bucket that is full again has
 * no line.
 */
export interface Budget {
  readonly perSecond: number;
  readonly burst: number;
}

export interface Bucket {
  readonly tokens: number;
  /** When it held so many, lane time ms. */
  readonly atMs: number;
  /** The last place in the line, lane time ms. */
  readonly tailMs: number;
}

/** A bucket at one instant, and what has been asked of it since. */
export interface Purse {
  readonly budget: Budget;
  readonly nowMs: number;
  readonly tokens: number;
  readonly spent: number;
  /** Those who have waited for their turn already and came too early, by a little. */
  readonly early: number;
  readonly tailMs: number;
}

/** null: nobody has ever asked. */
export function purseOf(bucket: Bucket | null, budget: Budget, nowMs: number): Purse {
  const tokens = tokensAt(bucket, budget, nowMs);
  const tailMs = bucket === null || tokens >= budget.burst ? nowMs : Math.max(bucket.tailMs, nowMs);
  return { budget, nowMs, tokens, spent: 0, early: 0, tailMs };
}

/** A clock that goes back gives nothing, and takes nothing away. */
export function tokensAt(bucket: Omit<Bucket, 'tailMs'> | null, { perSecond, burst }: Budget, nowMs: number): number {
  if (bucket === null) return burst;
  return Math.min(burst, bucket.tokens + (Math.max(0, nowMs - bucket.atMs) * perSecond) / 1_000);
}

/** Whether it may have one now. Who has not waited yet does not go before those who do. */
export function hasToken({ tokens, tailMs, nowMs }: Purse, waited: boolean): boolean {
  return tokens >= 1 && (waited || tailMs <= nowMs);
}

export function spend(purse: Purse): Purse {
  return { ...purse, tokens: purse.tokens - 1, spent: purse.spent + 1 };
}

export interface Place {
  readonly purse: Purse;
  /** When it is its turn, lane time ms. */
  readonly turnMs: number;
}

/** Behind all who wait; or, for one of those, as soon as there is a token. */
export function lineUp(purse: Purse, waited: boolean): Place {
  const { budget, nowMs, tokens, early, tailMs } = purse;
  const perTokenMs = 1_000 / budget.perSecond;
  if (waited) return { purse: { ...purse, early: early + 1 }, turnMs: nowMs + (Math.max(0, early + 1 - tokens) * perTokenMs) };
  const turnMs = tailMs > nowMs ? tailMs + perTokenMs : nowMs + Math.max(0, 1 - tokens) * perTokenMs;
  // Also where there is a token already, and another budget keeps it back: the next one stands behind it.
  return { purse: { ...purse, tailMs: Math.max(turnMs, nowMs + 1) }, turnMs };
}
