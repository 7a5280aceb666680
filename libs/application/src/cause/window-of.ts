import type { CauseWindow } from '#libs/domain';
import { EventReader } from './event-reader.js';
import type { LaneEvent, WindowScope } from './window-scope.js';

/**
 * The window that the same events would leave in the database, without one: for trials, reports, and histories from elsewhere.
 * A lease that runs out counts as lost at that instant, and no events of Jobwarden's own are needed for it; those that are
 * there count. Broken events are left out.
 */
export function windowOf(events: readonly LaneEvent[], scope: WindowScope): CauseWindow {
  const reader = new EventReader();
  const inOrder = events.filter((e) => e.laneMs < scope.toMs).toSorted((a, b) => a.laneMs - b.laneMs);
  for (const event of inOrder) reader.take(event);
  reader.passTo(scope.toMs);
  return reader.window(scope, inOrder[0]?.laneMs ?? scope.fromMs);
}
