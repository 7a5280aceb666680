import type { Window } from './incidents-queries';

export type WindowState = 'now' | 'ahead' | 'over' | 'ended';

/** How a maintenance window stands. */
export function windowState({ from, until, endedAt }: Pick<Window, 'from' | 'until' | 'endedAt'>, nowMs: number): WindowState {
  if (endedAt !== null) return 'ended';
  if (nowMs < Date.parse(from)) return 'ahead';
  return nowMs < Date.parse(until) ? 'now' : 'over';
}
