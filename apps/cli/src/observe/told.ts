import type { EmitterStats, EventResult } from '@jobwarden/client';
import { figure, printable } from '../terminal/table.js';

/** What became of everything that a tap has told. */
export class Told {
  private readonly counts: Record<EventResult['outcome'], number> = { appended: 0, duplicate: 0, recorded: 0, refused: 0, quarantined: 0 };
  private readonly why = new Map<string, number>();

  add({ outcome, code, detail }: EventResult): void {
    this.counts[outcome] += 1;
    if (outcome !== 'refused' && outcome !== 'quarantined') return;
    const why = `${outcome} ${code ?? ''}: ${detail ?? ''}`;
    // A few are enough to know what is wrong.
    if (this.why.has(why) || this.why.size < 20) this.why.set(why, (this.why.get(why) ?? 0) + 1);
  }

  get notTaken(): number {
    return this.counts.refused + this.counts.quarantined;
  }

  json(): object {
    return { ...this.counts, notTaken: Object.fromEntries(this.why) };
  }

  /** One line of a terminal. */
  line({ buffered, away }: EmitterStats): string {
    const { appended, duplicate, recorded } = this.counts;
    const parts = [
      `${figure(appended)} events sent`,
      ...(duplicate > 0 ? [`${figure(duplicate)} known already`] : []),
      `${figure(recorded)} heartbeats`,
      ...(buffered > 100 || away ? [`${figure(buffered)} waiting${away ? ': Jobwarden does not answer' : ''}`] : []),
      ...(this.notTaken > 0 ? [`${figure(this.notTaken)} not taken`] : []),
    ];
    return parts.join(', ');
  }

  /** Why some were not taken. */
  faults(): string[] {
    return [...this.why].map(([why, count]) => printable(`${figure(count)} ${why}`));
  }
}
