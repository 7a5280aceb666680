import { quantileMs } from '#libs/domain';
import type { QueueSample, QueueSampleStore, SampledQueue } from '../ports/overview-store.port.js';

const MINUTE_MS = 60_000;
/** What ended longer ago than that belongs to no sample any more: nobody took one meanwhile. */
const LONGEST_MINUTES = 15;

interface Known {
  readonly succeeded: number;
  readonly runTimes: ReadonlyMap<number, number> | null;
}

/**
 * Takes a sample of every queue that is not idle, once a minute of lane time, on the one replica that exports what describes the
 * database. What ended is read from what was counted as it came in, so nothing is lost when another replica goes on; only medians
 * need two looks by the same one.
 */
export class QueueSampler {
  private readonly known = new Map<number, Known>();

  constructor(
    private readonly store: QueueSampleStore,
    private readonly replicaId: string,
  ) {}

  /** Harmless at any time; does something once a minute. */
  async turn(): Promise<boolean> {
    const last = await this.store.last(this.replicaId);
    if (last === null) {
      this.known.clear();
      return false;
    }
    const minute = Math.floor(last.nowMs / MINUTE_MS);
    // Written anew in the same minute, it would lose what was counted by whoever wrote it first.
    if (minute === last.lastMinute) return false;
    await this.take(minute, Math.max(last.lastMinute ?? 0, minute - LONGEST_MINUTES));
    return false;
  }

  private async take(minute: number, since: number): Promise<void> {
    const queues = await this.store.queues();
    const ended = since < minute ? await this.store.ended(since * MINUTE_MS, minute * MINUTE_MS) : new Map<number, never>();
    const medians = await this.medians(queues);
    const samples = queues.flatMap(({ queueId, waiting, running }): QueueSample[] => {
      const { succeeded = 0, failed = 0 } = ended.get(queueId) ?? {};
      const idle = waiting === 0 && running === 0 && succeeded === 0 && failed === 0;
      return idle ? [] : [{ queueId, waiting, running, succeeded, failed, medianMs: medians.get(queueId) ?? null }];
    });
    await this.store.write(minute, samples);
  }

  /** Of what has been added to the run times since the last look; of queues that were looked at before. */
  private async medians(queues: readonly SampledQueue[]): Promise<ReadonlyMap<number, number>> {
    const moved = queues.filter(({ queueId, succeeded }) => this.known.get(queueId)?.succeeded !== succeeded);
    const seenBefore = moved.filter(({ queueId }) => this.known.has(queueId)).map(({ queueId }) => queueId);
    const runTimes = seenBefore.length === 0 ? new Map<number, never>() : await this.store.runTimes(seenBefore);
    const medians = new Map<number, number>();
    for (const { queueId, succeeded } of moved) {
      const now = runTimes.get(queueId) ?? null;
      const before = this.known.get(queueId)?.runTimes ?? null;
      this.known.set(queueId, { succeeded, runTimes: now });
      const median = now === null || before === null ? null : quantileMs(added(before, now), 0.5);
      if (median !== null) medians.set(queueId, Math.round(median));
    }
    return medians;
  }
}

function added(before: ReadonlyMap<number, number>, now: ReadonlyMap<number, number>): ReadonlyMap<number, number> {
  return new Map([...now].map(([bucket, count]) => [bucket, Math.max(0, count - (before.get(bucket) ?? 0))] as const).filter(([, count]) => count > 0));
}
