import type { Ticket } from './ticket.js';

/**
 * A queue as small as a queue can be: in memory, first in, first out, and no idea of what becomes of a job that has
 * been taken. A worker that dies takes its job with it; nothing in here would ever notice.
 *
 * Commands may come twice (at least once), so a ticket that was seen before is dropped. That is what the policy
 * promises as `dedupes: true`.
 */
export class WorkQueue {
  private readonly waiting: Ticket[] = [];
  private readonly seen = new Set<string>();

  /** false: this attempt has been in the queue before. */
  add(ticket: Ticket): boolean {
    const key = JSON.stringify([ticket.id, ticket.attempt]);
    if (this.seen.has(key)) return false;
    this.seen.add(key);
    this.waiting.push(ticket);
    return true;
  }

  take(): Ticket | undefined {
    return this.waiting.shift();
  }

  /** It was taken, and may not be begun now: it comes again behind the others, which it must not keep waiting. */
  giveBack(ticket: Ticket): void {
    this.waiting.push(ticket);
  }

  get length(): number {
    return this.waiting.length;
  }
}
