import type { EventResult } from '../contract.js';
import { UnreachableError } from '../errors.js';
import type { Logger } from '../logger.js';
import type { OutgoingEvent } from './fact.js';
import { RefusedBatchError, type Transport } from './transport.js';

/** A way that is open, closed, or refuses batches in which some events stand. */
export class FakeTransport implements Transport {
  readonly limits = { maxEvents: 4, maxBytes: 100_000 };
  readonly batches: (readonly string[])[] = [];
  open = true;
  refuses: (jobId: string) => boolean = () => false;
  private readonly held: (() => void)[] = [];
  holding = false;

  async send(events: readonly OutgoingEvent[]): Promise<readonly EventResult[]> {
    if (this.holding) await new Promise<void>((resolve) => this.held.push(resolve));
    if (!this.open) throw new UnreachableError('nobody is there');
    const subjects = events.map(subjectOf);
    if (subjects.some(this.refuses)) throw new RefusedBatchError('it has a fault');
    this.batches.push(subjects);
    return events.map(({ id }, index) => ({ index, id, outcome: 'appended' }));
  }

  /** What was held goes on. */
  release(): void {
    this.holding = false;
    for (const go of this.held.splice(0)) go();
  }

  get arrived(): readonly string[] {
    return this.batches.flat();
  }
}

export function subjectOf({ text }: OutgoingEvent): string {
  return (JSON.parse(text) as { readonly subject: string }).subject;
}

export class LoggedLines implements Logger {
  readonly lines: string[] = [];
  info = (line: string) => void this.lines.push(`info ${line}`);
  warn = (line: string) => void this.lines.push(`warn ${line}`);
}
