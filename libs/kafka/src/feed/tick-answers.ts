/** A tick without an answer for as long says that nobody else is answered either. */
const LATE_MS = 1_000;

interface Answers {
  sentAtMs: number | null;
  unsureUpTo: number;
}

/**
 * What the brokers answer to our ticks, by partition. A tick is acknowledged as a careful emitter's events are, by all
 * replicas in sync: while ours are not, a worker's beats may not come either.
 *
 *   sure ──refused, or no answer in time──► unsure ──acknowledged at an offset──► sure, from there on
 *
 * A partition says nothing of this itself. Its leader appends also while it can acknowledge nothing, and once its
 * followers are back shows all of that at once: records without a pause, and no beat among them.
 */
export class TickAnswers {
  private readonly known = new Map<number, Answers>();

  sent(partition: number, nowMs: number): void {
    const answers = this.of(partition);
    answers.sentAtMs ??= nowMs;
  }

  acknowledged(partition: number, offset: number, nowMs: number): void {
    const answers = this.of(partition);
    if (this.isUnsure(partition, nowMs)) answers.unsureUpTo = offset;
    answers.sentAtMs = null;
  }

  failed(partition: number): void {
    const answers = this.of(partition);
    answers.unsureUpTo = Infinity;
    answers.sentAtMs = null;
  }

  isUnsure(partition: number, nowMs: number): boolean {
    return this.unsureUpTo(partition, nowMs) === Infinity;
  }

  /** Records up to this offset may come from a time in which nobody else could be heard. -1: none. */
  unsureUpTo(partition: number, nowMs: number): number {
    const { sentAtMs, unsureUpTo } = this.of(partition);
    return sentAtMs !== null && nowMs - sentAtMs > LATE_MS ? Infinity : unsureUpTo;
  }

  private of(partition: number): Answers {
    let answers = this.known.get(partition);
    if (answers === undefined) this.known.set(partition, (answers = { sentAtMs: null, unsureUpTo: -1 }));
    return answers;
  }
}
