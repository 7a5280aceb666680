import type { LaneObserver } from '../lanes/lane-ingest.js';
import type { FeedPartition } from '../ports/event-feed.port.js';
import type { StoredLane } from '../ports/lane-store.port.js';
import type { LaneRow } from '../ports/read-models.port.js';
import type { Incidents, Told } from './incidents.js';

/**
 * What goes wrong with lanes that are read by position. Opened when a lane cannot go on where it was left; resolved when
 * it is read again, which takes an operator's word about where.
 */
export class LaneIncidents implements Required<Pick<LaneObserver, 'stopped' | 'reading'>> {
  constructor(private readonly incidents: Pick<Incidents, 'open' | 'openOnes' | 'resolve' | 'resolveOn'>) {}

  async stopped({ name, next, origin }: StoredLane, why: string, found: FeedPartition): Promise<void> {
    const evidence = { wanted: next, low: found.low, high: found.high, origin, foundIn: found.origin };
    await this.incidents.open('lane_out_of_range', name, { reason: why, evidence });
  }

  /** One look for all of them: a group that has changed hands reads many at once, and hardly ever one of these. */
  async reading(lanes: readonly StoredLane[]): Promise<void> {
    if (lanes.length === 0) return;
    const next = new Map(lanes.map((lane) => [lane.name, lane.next]));
    for (const { subject, queue } of await this.incidents.openOnes('lane_out_of_range')) {
      const from = next.get(subject);
      if (queue !== null || from === undefined) continue;
      await this.incidents.resolveOn({ rests: 'on-lane', name: subject }, 'lane_out_of_range', subject, { reason: 'it is read again', evidence: { from } });
    }
  }

  /** As it stands after an operator's call: told where to go on, given up, or taken up again although it is stopped. */
  async changed({ name, stopped, holds }: Pick<LaneRow, 'name' | 'stopped' | 'holds'>, told: Told): Promise<void> {
    if (stopped === null || !holds) await this.incidents.resolve('lane_out_of_range', name, told);
    else await this.incidents.open('lane_out_of_range', name, { ...told, reason: stopped });
  }
}
