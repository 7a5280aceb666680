import type { JobState } from '../fold/state.js';

/**
 * For how long an attempt's worker was still heard of after a later attempt had begun, lane time ms: two were at the job
 * at once. What was refused of it counts too: a refused write is a sign of life like any other. `beatMs` is its last
 * heartbeat, where one is kept. 0: as far as anybody has said, it had let go before.
 */
export function overlapMs(state: JobState, n: number, beatMs: number | null = null): number {
  const attempt = state.attempts.get(n);
  const signs = [attempt?.outcome?.laneMs, attempt?.releasedMs, beatMs];
  for (const d of state.decisions) if (d.kind === 'write-refused' && d.attempt === n) signs.push(d.laneMs);
  let next = Number.MAX_SAFE_INTEGER;
  for (const [other, { firstStartMs }] of state.attempts) if (other > n && firstStartMs !== null) next = Math.min(next, firstStartMs);
  return Math.max(0, ...signs.map((ms) => (ms ?? 0) - next));
}
