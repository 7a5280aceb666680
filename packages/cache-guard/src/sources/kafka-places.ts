import type { KafkaAdmin } from './kafkajs.js';

export interface Place {
  readonly partition: number;
  readonly offset: string;
}

/**
 * Where to go on in each partition of a topic, and what is known of its ends.
 *
 * A place is lost when its record is: deleted by its age or by somebody, or gone with a topic that was made anew. What lies
 * behind the end counts as lost, too: an offset is then another record's.
 */
export class KafkaPlaces {
  private readonly next = new Map<number, bigint>();
  private readonly ends = new Map<number, bigint>();

  constructor(
    private readonly admin: Pick<KafkaAdmin, 'fetchTopicOffsets'>,
    private readonly topic: string,
  ) {}

  /** @param from An `id`; null: from now on. @returns true: what lay there is gone, or nobody knows. */
  async begin(from: string | null): Promise<boolean> {
    const kept = from === null ? null : placesOf(from);
    if (kept !== null) for (const [partition, offset] of kept) this.next.set(partition, offset);
    const lost = await this.look(kept === null ? 'high' : 'low');
    return lost || (from !== null && kept === null);
  }

  /**
   * Asks the brokers whether what comes next in each partition is there; where it is not, it goes on with what is.
   * @param unknown Where to begin in a partition of which nothing is known: one that is new is read from its first record on.
   * @returns true: something was lost.
   */
  async look(unknown: 'low' | 'high' = 'low'): Promise<boolean> {
    const before = new Map(this.next);
    const partitions = await this.admin.fetchTopicOffsets(this.topic);
    let lost = false;
    for (const { partition, ...bounds } of partitions) {
      const [low, high] = [BigInt(bounds.low), BigInt(bounds.high)];
      this.ends.set(partition, high);
      const now = this.next.get(partition);
      if (now === undefined) this.next.set(partition, unknown === 'low' ? low : high);
      // Reading has gone on since the question: only where it stood before can be too far for the answer.
      else if ((before.get(partition) ?? 0n) > high) this.next.set(partition, high);
      else if (now < low) this.next.set(partition, low);
      lost ||= now !== undefined && this.next.get(partition) !== now;
    }
    const there = new Set(partitions.map(({ partition }) => partition));
    for (const partition of before.keys()) lost = (!there.has(partition) && this.next.delete(partition)) || lost;
    return lost;
  }

  /**
   * A batch begins at `first`. @returns true: something may be missing before it. Where that is more than a hole in the
   * offsets, the brokers are asked.
   */
  async reach(partition: number, first: string): Promise<boolean> {
    const next = this.next.get(partition);
    const at = BigInt(first);
    if (next === undefined || at === next) return false;
    if (at > next) return await this.look();
    this.next.set(partition, at);
    return true;
  }

  /** Everything up to and with this offset was read. */
  read(partition: number, offset: string): void {
    const next = BigInt(offset) + 1n;
    if (next > (this.next.get(partition) ?? 0n)) this.next.set(partition, next);
  }

  all(): readonly Place[] {
    return [...this.next].map(([partition, offset]) => ({ partition, offset: String(offset) }));
  }

  get id(): string {
    return JSON.stringify(Object.fromEntries(this.all().map(({ partition, offset }) => [partition, offset])));
  }

  /** Records that were there at the last look and have not been read since. */
  get behind(): number {
    let sum = 0;
    for (const [partition, end] of this.ends) sum += Math.max(0, Number(end - (this.next.get(partition) ?? end)));
    return sum;
  }
}

/** null: it is no id of ours. */
function placesOf(id: string): ReadonlyMap<number, bigint> | null {
  try {
    const entries = Object.entries(JSON.parse(id) as Readonly<Record<string, string>>);
    return entries.length === 0 ? null : new Map(entries.map(([partition, offset]) => [Number(partition), BigInt(offset)]));
  } catch {
    return null;
  }
}
