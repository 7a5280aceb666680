import { randomBytes } from 'node:crypto';
import { HttpSender } from '../bench/http-sender.js';
import type { SentEvent } from '../bench/job-load.js';

export interface LoadOptions {
  readonly prefix: string;
  readonly payloadBytes: number;
  readonly eventsPerRequest: number;
}

/** Connections that send at once. */
const AT_ONCE = 8;

/** Events of made-up jobs, stage by stage: of each job one lies in another request than the next. */
export class SizingLoad {
  private constructor(
    private readonly senders: readonly HttpSender[],
    private readonly options: LoadOptions,
  ) {}

  static async open(port: number, options: LoadOptions): Promise<SizingLoad> {
    return new SizingLoad(await Promise.all(Array.from({ length: AT_ONCE }, () => HttpSender.open(port, '/v1/events', 'application/json'))), options);
  }

  /** Random, so that nothing is saved by compressing it. */
  async queued(jobs: number): Promise<void> {
    const { payloadBytes } = this.options;
    await this.stage(jobs, (i) => this.event(i, 'queued', { kind: 'invoice', payload: { text: randomBytes(Math.ceil((payloadBytes * 3) / 4)).toString('base64') } }));
  }

  async started(jobs: number, attempt: number): Promise<void> {
    await this.stage(jobs, (i) => this.event(i, 'started', { attempt, worker: worker(i), leaseMs: 600_000 }));
  }

  async failed(jobs: number): Promise<void> {
    await this.stage(jobs, (i) => this.event(i, 'failed', { attempt: 1, worker: worker(i), error: { class: 'TimeoutError', message: 'the bank did not answer within 3 s' } }));
  }

  /** One heartbeat, and the end. */
  async succeeded(jobs: number, attempt: number): Promise<void> {
    await this.stage(jobs, (i) => this.event(i, 'heartbeat', { attempt, worker: worker(i) }));
    await this.stage(jobs, (i) => this.event(i, 'succeeded', { attempt, worker: worker(i), durationMs: 1_000 + i }));
  }

  close(): void {
    for (const sender of this.senders) sender.close();
  }

  private event(i: number, type: string, data: Readonly<Record<string, unknown>>): SentEvent {
    const subject = `${this.options.prefix}-order-${String(i)}`;
    return { specversion: '1.0', id: `${subject}-${type}-${JSON.stringify(data['attempt'] ?? 0)}-4f1c-9a7e`, source: '/shop/workers', subject, type: `jobwarden.job.${type}.v1`, data: { queue: 'invoices', ...data } };
  }

  private async stage(jobs: number, make: (i: number) => SentEvent): Promise<void> {
    const { eventsPerRequest } = this.options;
    const bodies: string[] = [];
    for (let at = 0; at < jobs; at += eventsPerRequest) {
      const events = Array.from({ length: Math.min(eventsPerRequest, jobs - at) }, (_, i) => make(at + i));
      bodies.push(JSON.stringify(eventsPerRequest === 1 ? events[0] : events));
    }
    await Promise.all(this.senders.map(async (sender) => {
      for (let body = bodies.pop(); body !== undefined; body = bodies.pop()) {
        const answer = await sender.post(body);
        if (/"outcome":"(?:refused|quarantined|duplicate)"/u.test(answer)) throw new Error(`an event was not taken: ${answer.slice(0, 500)}`);
      }
    }));
  }
}

function worker(i: number): Readonly<Record<string, string>> {
  return { id: `worker-${String(i % 50)}`, incarnation: 'a1b2c3', revision: '2026.1.4' };
}
