import { RetryableError } from '../ports/errors.js';
import type { FeedPartition } from '../ports/event-feed.port.js';
import type { LaneClock } from '../ports/lane-clock.port.js';
import type { LaneDesk, PartitionSource } from '../ports/lane-desk.port.js';
import type { LaneRow, WorkerReads } from '../ports/read-models.port.js';

/** Ticks come four times a second: what was read a minute ago is not read any more. */
const READ_LATELY_MS = 60_000;

export type LaneOutcome =
  | { readonly kind: 'done'; readonly before: LaneRow; readonly lane: LaneRow }
  | { readonly kind: 'refused'; readonly code: LaneRefusal; readonly detail: string };

export type LaneRefusal =
  | 'lane_unknown'
  | 'lane_without_positions'
  | 'lane_retired'
  | 'lane_is_read'
  | 'no_broker'
  | 'broker_unavailable'
  | 'partition_unknown'
  | 'offset_out_of_range';

export interface LaneCallsParts {
  readonly desk: LaneDesk;
  readonly reads: Pick<WorkerReads, 'lanes'>;
  readonly clock: Pick<LaneClock, 'read'>;
  /** null: this installation has no brokers. */
  readonly source: PartitionSource | null;
}

/**
 * What an operator does with a partition:
 *
 *   reading ──out of range──► stopped ──seek──► reading
 *   reading, stopped ──retire──► retired: nothing is read, no verdict waits ──unretire──► as before
 *
 * A position is checked with the broker first: one that it does not have would only stop the lane again. The records
 * that are passed over are never read; jobs whose end is among them come to a verdict. When the lane had not been read
 * for some seconds that is a gap, and its leases run again in full first.
 */
export class LaneCalls {
  constructor(private readonly parts: LaneCallsParts) {}

  async seek(name: string, to: 'earliest' | 'latest' | number): Promise<LaneOutcome> {
    const before = await this.find(name);
    if ('kind' in before) return before;
    if (!before.holds) return refused('lane_retired', `${name} was given up; take that back first, with unretire`);
    const partition = await this.partitionOf(name);
    if ('kind' in partition) return partition;
    const { low, high, origin } = partition;
    const next = to === 'earliest' ? low : to === 'latest' ? high : to;
    if (next < low || next > high) {
      return refused('offset_out_of_range', `the broker has ${name} from offset ${low} to ${high}`);
    }
    await this.parts.desk.seek(before.lane, { next, origin });
    return await this.done(before);
  }

  /** `force`: also a lane that is being read. Idempotent. */
  async retire(name: string, { force = false }: { readonly force?: boolean } = {}): Promise<LaneOutcome> {
    const before = await this.find(name);
    if ('kind' in before) return before;
    const { nowMs } = await this.parts.clock.read();
    if (before.holds && !force && nowMs - before.readMs < READ_LATELY_MS) {
      const why = 'jobs whose events come that way would be called lost';
      return refused('lane_is_read', `${name} was read within the last minute: ${why}; with force it is given up`);
    }
    await this.parts.desk.hold(before.lane, false);
    return await this.done(before);
  }

  async unretire(name: string): Promise<LaneOutcome> {
    const before = await this.find(name);
    if ('kind' in before) return before;
    await this.parts.desk.hold(before.lane, true);
    return await this.done(before);
  }

  private async find(name: string): Promise<LaneRow | Refused> {
    const found = (await this.parts.reads.lanes()).find((row) => row.name === name);
    if (found === undefined) return refused('lane_unknown', `there is no lane ${JSON.stringify(name)}`);
    if (topicOf(name) === null) {
      return refused('lane_without_positions', `${name} is not read by position: there is nothing to go back to`);
    }
    return found;
  }

  private async partitionOf(name: string): Promise<FeedPartition | Refused> {
    const { source } = this.parts;
    const topic = topicOf(name);
    if (source === null || topic === null) {
      return refused('no_broker', 'this replica knows of no broker (JOBWARDEN_KAFKA_BROKERS), so nothing can be read');
    }
    try {
      const found = (await source.look(topic)).find((partition) => partition.name === name);
      return found ?? refused('partition_unknown', `the broker has no ${name}; a lane of a topic that is no more can be retired`);
    } catch (error) {
      if (error instanceof RetryableError) return refused('broker_unavailable', error.message);
      throw error;
    }
  }

  private async done(before: LaneRow): Promise<LaneOutcome> {
    const lane = (await this.parts.reads.lanes()).find((row) => row.lane === before.lane);
    return { kind: 'done', before, lane: lane ?? before };
  }
}

type Refused = Extract<LaneOutcome, { readonly kind: 'refused' }>;

function refused(code: LaneRefusal, detail: string): Refused {
  return { kind: 'refused', code, detail };
}

function topicOf(name: string): string | null {
  return /^kafka\/([^/]+)\/\d+$/.exec(name)?.[1] ?? null;
}
