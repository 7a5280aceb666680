import type { FeedPartition } from '../ports/event-feed.port.js';
import type { StoredLane } from '../ports/lane-store.port.js';

/**
 * Whether a lane can go on where the database says. Nothing is ever reset in silence: what is missing in between was
 * acknowledged by the broker, and may be the success of a job that would now be called lost.
 */
export function outOfRange(lane: StoredLane, { low, high, origin, name }: FeedPartition): string | null {
  if (lane.origin !== origin) {
    return `${name} was read in cluster ${lane.origin}, and this is cluster ${origin}: its offsets mean something else there`;
  }
  if (lane.next < low) {
    return `${name} should go on at offset ${lane.next}, and the broker has it only from ${low} on: ${low - lane.next} records were deleted unread (retention, or deleted by hand)`;
  }
  if (lane.next > high) {
    return `${name} should go on at offset ${lane.next}, and it ends at ${high}: the topic was made anew, or the broker has lost records`;
  }
  return null;
}
