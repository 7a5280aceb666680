import type { EnqueueCommandData } from '@jobwarden/client';

export interface Ticket {
  readonly id: string;
  /** Absent: the job's first attempt, as whoever made the job put it in. */
  readonly command?: EnqueueCommandData;
}

/** A queue as small as a queue can be: in memory, first in, first out. Commands may come twice, so a ticket is let in once per attempt. */
export class WorkList {
  private readonly waiting: Ticket[] = [];
  private readonly seen = new Set<string>();

  add(ticket: Ticket): void {
    const key = `${ticket.id}/${String(ticket.command?.attempt ?? 1)}`;
    if (this.seen.has(key)) return;
    this.seen.add(key);
    this.waiting.push(ticket);
  }

  take(): Ticket | undefined {
    return this.waiting.shift();
  }

  /** It was taken and may not be begun now; it comes again behind the others, which it must not keep waiting. */
  giveBack(ticket: Ticket): void {
    this.waiting.push(ticket);
  }
}
