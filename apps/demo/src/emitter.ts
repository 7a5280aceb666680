import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { IngestResponse, IngestResult } from '#libs/contracts';

/** One event, without what every event of this process has in common. */
export interface Emitted {
  /** `queued`, `started`, `heartbeat` … */
  readonly fact: string;
  readonly jobId: string;
  readonly data: Readonly<Record<string, unknown>>;
}

const PAUSES_MS = [200, 400, 800, 1_600, 3_200];

/**
 * Tells Jobwarden what happened. An event that could not be delivered is sent again under the same id: a copy is
 * answered as a duplicate and does no harm. Resolves to null when Jobwarden stays away: work goes on without it.
 */
export class Emitter {
  constructor(
    private readonly baseUrl: string,
    private readonly source: string,
  ) {}

  async emit({ fact, jobId, data }: Emitted): Promise<IngestResult | null> {
    const event = {
      specversion: '1.0',
      type: `jobwarden.job.${fact}.v1`,
      source: this.source,
      id: randomUUID(),
      subject: jobId,
      time: new Date().toISOString(),
      data,
    };
    for (const pauseMs of [0, ...PAUSES_MS]) {
      await delay(pauseMs);
      const result = await this.post(event);
      if (result !== null) return result;
    }
    return null;
  }

  /** An answer below 500 is final, a refusal too; anything else may be tried again. */
  private async post(event: object): Promise<IngestResult | null> {
    try {
      const response = await fetch(`${this.baseUrl}/v1/events`, {
        method: 'POST',
        headers: { 'content-type': 'application/cloudevents+json' },
        body: JSON.stringify(event),
        signal: AbortSignal.timeout(5_000),
      });
      if (response.status >= 500) return null;
      const { results } = (await response.json()) as Partial<IngestResponse>;
      return results?.[0] ?? null;
    } catch {
      return null;
    }
  }
}
