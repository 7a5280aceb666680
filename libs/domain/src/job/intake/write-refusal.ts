import { attemptOfToken, epochOfToken, tokenOf } from '../events/token.js';
import { emptyState, type JobState } from '../fold/state.js';
import { currentAttempt, grantToken } from '../view/view.js';

/**
 * May this write still change the job? Asked under the row's lock, and the answer is recorded, so the fold never asks.
 *
 *   attempt never redeemed, tokens not required   accepted: the emitter's token is data
 *   the token of the attempt's grant              accepted, unless a newer grant has been redeemed: `superseded`
 *   a token of before                             `superseded`
 *   one of before a restore                       accepted, while nobody has redeemed the attempt since
 *   one that nobody was given                     `token_unknown`
 *   none                                          `token_required`, or `superseded` where the winner is known anyway
 */
export type WriteRefusal = 'superseded' | 'token_unknown' | 'token_required';

export interface Write {
  /** Of the fact, or of a heartbeat. */
  readonly type?: string;
  readonly attempt: number;
  readonly token?: number;
}

export interface TokenRules {
  /** `claims: required`: also an attempt that nobody has claimed is written to with its token only. */
  readonly tokensRequired?: boolean;
  /** The installation's epoch: that of a first grant of which nothing is known yet. Default 0. */
  readonly epoch?: number;
}

export function writeRefusal(state: JobState, write: Write, rules: TokenRules): WriteRefusal | null {
  const { attempt, token } = write;
  if (rules.tokensRequired !== true && !isRedeemed(state, attempt)) return null;
  const winnerIsKnown = !accepts(state, attempt);
  if (token === undefined) return winnerIsKnown ? 'superseded' : 'token_required';
  const known = state.epoch === Number.MAX_SAFE_INTEGER ? { ...emptyState(), epoch: rules.epoch ?? 0 } : state;
  const current = currentAttempt(state);
  if (attempt <= current && token === grantToken(known, attempt)) return winnerIsKnown ? 'superseded' : null;
  if (isOfLostTime(state, { ...write, token }, rules)) return winnerIsKnown ? 'superseded' : null;
  return isOlder(token, grantToken(known, current), current) ? 'superseded' : 'token_unknown';
}

/**
 * A token of an epoch before the restore's, for an attempt that nobody has redeemed since: it may have been given in the
 * time that is lost, and whoever has it may have done the work. Of an attempt that is not granted again yet only the
 * success counts; whatever else is told of it would later be taken for what the next grant's worker says.
 */
function isOfLostTime(state: JobState, { type, attempt, token }: Write & { readonly token: number }, { epoch = 0 }: TokenRules): boolean {
  if (attemptOfToken(token) !== attempt || epochOfToken(token) >= epoch || isRedeemed(state, attempt)) return false;
  return attempt <= currentAttempt(state) || type === 'succeeded';
}

/**
 * A fact is accepted when its attempt is current, when the attempt was never redeemed through claims, or while no
 * newer grant at all has been redeemed. Otherwise the winner is known and this writer has lost.
 */
export function accepts(state: JobState, attempt: number): boolean {
  if (attempt >= currentAttempt(state)) return true;
  if (!isRedeemed(state, attempt)) return true;
  for (const [n, other] of state.attempts) if (n > attempt && other.claimId !== null) return false;
  return true;
}

/** Was the grant of this attempt redeemed through claims? */
export function isRedeemed(state: JobState, attempt: number): boolean {
  return state.attempts.get(attempt)?.claimId != null;
}

/** Of this job and from before: of an attempt up to the current one, and below its token. */
export function isOlder(token: number, currentToken: number, current: number): boolean {
  const attempt = attemptOfToken(token);
  return token < currentToken && attempt >= 1 && attempt <= current;
}

/** The token under which the current attempt's grant would be redeemed now. */
export function redemptionToken(state: JobState, attempt: number, epoch: number): number {
  return Math.max(tokenOf(epoch, attempt), grantToken(state, attempt));
}
