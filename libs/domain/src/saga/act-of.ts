import { TRIES, TRY_AGAIN_MS, WRITES_WITHIN_MS } from './deadlines.js';
import { escalate } from './escalate.js';
import { waitFor, type SagaAct, type SagaMove } from './moves.js';
import type { RunPolicy } from './run-policy.js';
import type { SagaSeen } from './seen.js';
import type { SagaStanding } from './standing.js';
import type { Fault, Intent } from './step-evidence.js';
import { howMany } from '../words/how-many.js';

/** What repeating does not mend. */
const FINAL: ReadonlySet<string> = new Set(['forbidden', 'not_found', 'rejected', 'unsupported', 'refused']);
/** A write may take two calls: the scaler's and the target's, or the target's once more where it conflicts. No more are made. */
export const CALLS_OF_A_WRITE = 2;

/** Carries out what was announced: a few times at most, not too often, and within its time. `failed`: where it cannot be done. */
export function actOf(s: SagaStanding, intent: Intent, seen: SagaSeen, policy: RunPolicy, nowMs: number, act: SagaAct, failed = failing(s, nowMs)): SagaMove {
  const { tries } = seen;
  const last = s.faults.at(-1) ?? null;
  if (last !== null && FINAL.has(last.code)) return failed(last.code, last.detail);
  if (tries.count >= TRIES) {
    return failed('step_repeated', `tried ${howMany(tries.count, 'time')}${last === null ? '' : `, the last time: ${last.detail}`}`);
  }
  if (nowMs >= intent.deadlineMs) return failed(last?.code ?? 'timed_out', last?.detail ?? `nothing came of it within ${String((intent.deadlineMs - intent.atMs) / 1_000)} s`);
  const notBeforeMs = againMs(last, tries);
  if (nowMs < notBeforeMs) return waitFor(last === null ? 'what the last try led to' : `another try: ${last.detail}`, Math.min(notBeforeMs, intent.deadlineMs));
  if (act.does === 'write' && tries.writes + CALLS_OF_A_WRITE > policy.writesPerMinute) {
    return waitFor('a minute without so many writes', Math.min((tries.oldestWriteMs ?? nowMs) + WRITES_WITHIN_MS, intent.deadlineMs));
  }
  return { kind: 'act', act, n: intent.n };
}

export type Failing = (code: string, why: string) => SagaMove;

export function failing(s: SagaStanding, nowMs: number): Failing {
  return (code, why) => escalate(s, nowMs, code, why);
}

/** A conflict needs a new look and no wait; an answer that says how long is waited for. */
function againMs(last: Fault | null, { count, lastMs }: SagaSeen['tries']): number {
  if (last === null) return lastMs === null ? 0 : lastMs + TRY_AGAIN_MS;
  return last.atMs + (last.code === 'conflict' ? 0 : Math.max(last.retryAfterMs ?? 0, TRY_AGAIN_MS * count));
}
