import type { SagaMove } from '../moves.js';
import type { RunPolicy } from '../run-policy.js';
import type { SagaSeen } from '../seen.js';
import type { SagaStanding } from '../standing.js';

/** One stage of a run: its next move, or null where it is over and the next stage has its turn. */
export type Stage = (s: SagaStanding, seen: SagaSeen, policy: RunPolicy, nowMs: number) => SagaMove | null;
