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

/**
 * Whether what has been read may lie in another topic of this name, which has grown past `next` since: then the records
 * below it were acknowledged and never read, and nothing else would show it. It is so where everything that is there was
 * appended after the last record that was stored. `firstAfter`: the first offset of such a record.
 *
 * Not asked where there is nothing below `next` to tell by, nor where an operator has said where to go on.
 */
export function madeAnew({ name, next, readMs }: StoredLane, { low }: FeedPartition, firstAfter: number): string | null {
  if (firstAfter > low) return null;
  const since = new Date(readMs).toISOString();
  return `${name} should go on at offset ${next}, and every record from offset ${low} on was appended after ${since}, when the last one was stored: the topic was made anew, and ${next - low} records of it were never read`;
}

export function canBeMadeAnew({ next, readMs, sought }: StoredLane, { low }: FeedPartition): boolean {
  return low < next && readMs > 0 && !sought;
}
