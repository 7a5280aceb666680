import { chooseRelease, type ReleaseChoice } from '../rollout/choose-release.js';
import { LOOK_WITHIN_MS, TRY_AGAIN_MS } from './deadlines.js';
import { escalate } from './escalate.js';
import { note, waitFor, type SagaMove } from './moves.js';
import type { LookFault, TargetLook } from './seen.js';
import { badRevision, type SagaStanding } from './standing.js';

/** Looking again may help. */
const PASSING: ReadonlySet<string> = new Set(['unreachable', 'timed_out', 'throttled', 'conflict']);

/** A target that cannot be looked at: told once, looked at again for a while, then a person's. */
export function targetFault(s: SagaStanding, look: { readonly fault: LookFault } | null, nowMs: number, deadlineMs = Infinity): SagaMove {
  if (look === null) return waitFor('a look at the target', nowMs + TRY_AGAIN_MS);
  const { code, detail, retryAfterMs } = look.fault;
  const name = s.about.target ?? 'the target';
  if (!isPassing(code)) return escalate(s, nowMs, code, `${name} cannot be looked at: ${detail}`);
  if (s.lookFault === null) return note(`${name} cannot be looked at: ${detail}`, { lookFault: code });
  const endsMs = Math.min(s.lookFault.sinceMs + LOOK_WITHIN_MS, deadlineMs);
  if (nowMs >= endsMs) return escalate(s, nowMs, code, `${name} could not be looked at for ${String(Math.round((nowMs - s.lookFault.sinceMs) / 1_000))} s: ${detail}`);
  return waitFor(`${name}, which cannot be looked at: ${detail}`, Math.min(endsMs, nowMs + Math.max(TRY_AGAIN_MS, retryAfterMs ?? 0)));
}

/** Nothing can be chosen, or not yet: a database that may answer soon is waited for as a target is that cannot be looked at. */
export function refusedChoice(s: SagaStanding, { refused, why, passing }: Exclude<ReleaseChoice, { readonly release: unknown }>, nowMs: number): SagaMove {
  if (passing !== true) return escalate(s, nowMs, refused, why);
  if (s.lookFault === null) return note(`nothing can be chosen yet: ${why}`, { lookFault: refused });
  const endsMs = s.lookFault.sinceMs + LOOK_WITHIN_MS;
  if (nowMs >= endsMs) return escalate(s, nowMs, refused, `for ${String(Math.round((nowMs - s.lookFault.sinceMs) / 1_000))} s: ${why}`);
  return waitFor(`the version of a schema: ${why}`, Math.min(endsMs, nowMs + TRY_AGAIN_MS));
}

/** What was in the way of a look is gone. Where it was a database, the target could be seen all along. */
export function seenAgain(s: SagaStanding, look: TargetLook | null): boolean {
  if (s.lookFault === null || look === null || 'fault' in look) return false;
  if (s.lookFault.code !== 'schema_unknown') return true;
  const choice = chosen(s, look);
  return !('refused' in choice && choice.passing === true);
}

export function isPassing(code: string): boolean {
  return PASSING.has(code);
}

/** What to go back to, by what the log proved; decided before anything is written. */
export function chosen(s: SagaStanding, { seen, facts }: Exclude<TargetLook, { readonly fault: LookFault }>): ReleaseChoice {
  const bad = badRevision(s);
  return chooseRelease(seen, { ...facts, bad: [...(bad === null ? [] : [bad]), ...facts.bad] });
}
