import { waitUntil } from '#libs/testing';
import type { DashboardService, TestEvent } from './harness/service.js';

/** Jobs that have lived through something, told by real events to the real service. */
export const STORY_POLICY = `
defaults: {lease: 30s, grace: 300ms, backoff: {initial: 100ms, max: 100ms, jitter: 0}}
queues:
  payments: {idempotent: true, actions: act, maxRetries: 2, fallback: false}
  emails: {actions: approve, idempotent: true}
  reports: {}
  frozen: {idempotent: true, actions: act}
redaction:
  - {path: data.payload.card.number}
`;

export const QUEUE = 'payments';
export const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';

const worker = (id: string, revision = '2026.11.30-1') => ({ worker: { id, revision, incarnation: `${id}-1` } });

export class Stories {
  constructor(private readonly service: DashboardService) {}

  async status(id: string, queue = QUEUE): Promise<string> {
    return String((await this.job(id, queue))['status']);
  }

  async job(id: string, queue = QUEUE): Promise<Record<string, unknown>> {
    return await this.service.call('GET', `/v1/jobs/one?${new URLSearchParams({ queue, id }).toString()}`);
  }

  async until(id: string, status: string, queue = QUEUE): Promise<void> {
    await waitUntil(`${id} is ${status}`, async () => (await this.status(id, queue)) === status);
  }

  /** Its first worker falls silent, the next one ends it; then the first one is heard of again, and ends it too. */
  async lostAndBack(id: string): Promise<void> {
    const { service } = this;
    await service.send(
      this.queued(id),
      { fact: 'started', id, data: { queue: QUEUE, attempt: 1, leaseMs: 700, ...worker('worker-a7', '2026.11.29-3') } },
    );
    await this.until(id, 'requeued');
    await service.send({ fact: 'started', id, data: { queue: QUEUE, attempt: 2, ...worker('worker-b2') } });
    await service.send({ fact: 'heartbeat', id, data: { queue: QUEUE, attempt: 1, ...worker('worker-a7', '2026.11.29-3') } });
    await service.send({ fact: 'succeeded', id, data: { queue: QUEUE, attempt: 2, durationMs: 412, ...worker('worker-b2') } });
    await service.send({ fact: 'succeeded', id, data: { queue: QUEUE, attempt: 1, durationMs: 2_310, ...worker('worker-a7', '2026.11.29-3') } });
  }

  /** Fails until its retries are used up. */
  async dead(id: string): Promise<void> {
    await this.service.send(this.queued(id));
    for (const attempt of [1, 2, 3]) {
      await this.service.send({ fact: 'started', id, data: { queue: QUEUE, attempt, ...worker('worker-b2') } }, this.failed(id, attempt));
      if (attempt < 3) await this.until(id, 'requeued');
    }
    await this.until(id, 'dead-lettered');
  }

  /** Runs under a lease that is long enough to be looked at. */
  async running(id: string, queue = QUEUE): Promise<void> {
    await this.service.send(
      this.queued(id, queue),
      { fact: 'started', id, data: { queue, attempt: 1, leaseMs: 600_000, ...worker('worker-c1') } },
      { fact: 'heartbeat', id, data: { queue, attempt: 1, leaseMs: 600_000, progress: { percent: 40 }, ...worker('worker-c1') } },
    );
  }

  /** Falls silent where Jobwarden has to ask, or may only say so. */
  async silent(id: string, queue: string): Promise<void> {
    await this.service.send(this.queued(id, queue), { fact: 'started', id, data: { queue, attempt: 1, leaseMs: 300, ...worker('worker-d4') } });
    await waitUntil(`${id} was spoken of`, async () => (await this.verdicts(id, queue)).length > 0);
  }

  /** Was lost, and is not put back, because its queue is paused. */
  async heldBack(id: string, queue = 'frozen'): Promise<void> {
    await this.service.call('POST', `/v1/queues/${queue}/pause`, { reason: 'the ledger moves' });
    await this.service.send(this.queued(id, queue), { fact: 'started', id, data: { queue, attempt: 1, leaseMs: 300, ...worker('worker-e5') } });
    await waitUntil(`${id} is held`, async () => (await this.job(id, queue))['heldBy'] === 'paused');
  }

  async verdicts(id: string, queue: string): Promise<readonly Record<string, unknown>[]> {
    const { items } = await this.service.call('GET', `/v1/verdicts?${new URLSearchParams({ queue, id }).toString()}`);
    return items as readonly Record<string, unknown>[];
  }

  private queued(id: string, queue = QUEUE): TestEvent {
    return {
      fact: 'queued',
      id,
      traceparent: `00-${TRACE}-00f067aa0ba902b7-01`,
      data: {
        queue,
        kind: 'capture',
        payload: { order: 81_204_551, amount: '49.00', currency: 'EUR', card: { number: '4111111111111111', holder: 'Ada Lovelace' } },
        invalidates: { keys: [`order:${id}`], tags: ['dashboard'] },
      },
    };
  }

  private failed(id: string, attempt: number): TestEvent {
    const error =
      attempt === 1
        ? { class: 'ConnectionError', message: 'connect ECONNREFUSED 10.2.0.14:5432', code: 'ECONNREFUSED', stack: 'ConnectionError: connect ECONNREFUSED\n    at Pool.connect (src/ledger/pool.ts:41:11)\n    at capture (src/payments/capture.ts:88:5)' }
        : { class: 'TypeError', message: "Cannot read properties of undefined (reading 'id')", stack: 'TypeError: Cannot read properties of undefined\n    at capture (src/payments/capture.ts:93:21)' };
    return { fact: 'failed', id, data: { queue: QUEUE, attempt, durationMs: 140, error, ...worker('worker-b2'), payloadSnapshot: { order: 81_204_551, attempt } } };
  }
}
