import { setTimeout as delay } from 'node:timers/promises';
import type { JobDetail } from '#libs/contracts';
import { QUEUE } from './settings.js';

export const jobPath = (jobId: string): string => `/v1/queues/${QUEUE}/jobs/${jobId}`;
export const DEAD_LETTERS = `/v1/dead-letters?queue=${QUEUE}`;
export const INVALIDATIONS = `/v1/invalidations?queue=${QUEUE}`;
export const reconciliations = (verdict: 'lost' | 'hung'): string =>
  `/v1/reconciliations?queue=${QUEUE}&verdict=${verdict}`;

/** The service's reports, read as anybody can read them. */
export class Reports {
  constructor(private readonly baseUrl: string) {}

  /** null: not there, or the service is away. */
  async job(jobId: string): Promise<JobDetail | null> {
    const text = await this.text(jobPath(jobId));
    return text === null ? null : (JSON.parse(text) as JobDetail);
  }

  /** Does the report behind this path name the job? Asked for a while: some reports follow a moment later. */
  async names(path: string, jobId: string): Promise<boolean> {
    for (let tries = 0; tries < 20; tries += 1) {
      if ((await this.text(path))?.includes(JSON.stringify(jobId)) === true) return true;
      await delay(100);
    }
    return false;
  }

  private async text(path: string): Promise<string | null> {
    try {
      const response = await fetch(this.baseUrl + path, { signal: AbortSignal.timeout(5_000) });
      return response.ok ? await response.text() : null;
    } catch {
      return null;
    }
  }
}
