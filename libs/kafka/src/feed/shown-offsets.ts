import type { OffsetsByTopicPartition } from 'kafkajs';

/**
 * The group's offsets, for whoever looks at the group with the broker's tools: best effort, since the position that
 * counts is the database's. One request at a time; what comes meanwhile goes with the next one.
 */
export class ShownOffsets {
  private readonly next = new Map<number, number>();
  private sending: Promise<void> | null = null;
  /** Of the newest batch: only the consumer can say for which generation it speaks. */
  commit: ((offsets: OffsetsByTopicPartition) => Promise<void>) | null = null;

  constructor(
    private readonly topic: string,
    private readonly onError: (error: unknown) => void,
  ) {}

  show(partition: number, offset: number): void {
    this.next.set(partition, offset);
    this.sending ??= this.send().finally(() => (this.sending = null));
  }

  clear(): void {
    this.next.clear();
  }

  async settled(): Promise<void> {
    await this.sending;
  }

  private async send(): Promise<void> {
    while (this.next.size > 0 && this.commit !== null) {
      const partitions = [...this.next].map(([partition, offset]) => ({ partition, offset: String(offset) }));
      this.next.clear();
      try {
        await this.commit({ topics: [{ topic: this.topic, partitions }] });
      } catch (error) {
        this.onError(error);
      }
    }
  }
}
