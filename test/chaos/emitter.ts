import { setTimeout as delay } from 'node:timers/promises';

/** An emitter as users write it: repeats each event, with its id, until the service has acknowledged it. */
export interface SentEvent {
  readonly id: string;
  readonly subject: string;
  readonly type: string;
  readonly data: { readonly queue: string } & Readonly<Record<string, unknown>>;
}

export const SOURCE = 'chaos';

export class Emitter {
  /** Acknowledged events, by id: each must be in the log exactly once. */
  readonly acknowledged = new Map<string, SentEvent>();
  /** Answers that were neither an acknowledgement nor a reason to repeat. */
  readonly complaints: string[] = [];
  private count = 0;

  constructor(
    /** Asked for each request: where there are several replicas, each gets a part of every job. */
    private readonly url: () => string,
    private readonly stopped: AbortSignal,
  ) {}

  nextId(): string {
    this.count += 1;
    return `e${String(this.count)}`;
  }

  /** Answers false when the run ended before the acknowledgement. */
  async send(events: readonly SentEvent[]): Promise<boolean> {
    while (!this.stopped.aborted) {
      const results = await this.post(events);
      if (results !== null) {
        for (const [i, result] of results.entries()) this.take(events[i], result);
        return true;
      }
      await delay(50);
    }
    return false;
  }

  /** null: not acknowledged; repeat. */
  private async post(events: readonly SentEvent[]): Promise<readonly Result[] | null> {
    try {
      const response = await fetch(`${this.url()}/v1/events`, {
        method: 'POST',
        headers: { 'content-type': 'application/cloudevents-batch+json' },
        body: JSON.stringify(events.map((e) => ({ specversion: '1.0', source: SOURCE, ...e }))),
        signal: AbortSignal.timeout(10_000),
      });
      const text = await response.text();
      if (response.status >= 500) return null;
      if (!response.ok) {
        this.complaints.push(`${String(response.status)} ${text}`);
        return [];
      }
      return (JSON.parse(text) as { results: Result[] }).results;
    } catch {
      return null; // it was killed, or is starting
    }
  }

  private take(event: SentEvent | undefined, result: Result): void {
    if (event === undefined || result.outcome === 'recorded') return;
    if (result.outcome === 'appended' || result.outcome === 'duplicate') this.acknowledged.set(event.id, event);
    else this.complaints.push(`${event.type} ${event.subject}: ${JSON.stringify(result)}`);
  }
}

interface Result {
  readonly outcome: string;
  readonly code?: string;
}
