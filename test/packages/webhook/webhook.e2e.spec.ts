import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createClient, type JobView } from '@jobwarden/client';
import { createWebhook, type JobMessage, type Webhook } from '@jobwarden/webhook';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { useTestDatabase, waitUntil } from '#libs/testing';
import { Shipped } from '../../e2e/cases/shipped.js';
import { attemptsIn, kinOf, produced, spanIdOf, tracing } from '../spans.fixture.js';
import { newSecret } from './signed.js';

const policy = (url: string) => `
defaults: {backoff: {initial: 10ms, max: 10ms, jitter: 0}}
queues:
  mail: {actions: act, claims: required}
webhooks:
  - {url: '${url}/jobwarden', secretEnv: THEIR_SECRET, events: [commands]}
  - {url: '${url}/other', secretEnv: OTHER_SECRET, events: [commands]}
`;

describe('a service whose queue can only be told by HTTP', () => {
  const database = useTestDatabase();
  const queue: JobMessage[] = [];
  const quiet = { info: () => undefined, warn: () => undefined };
  let service: Shipped;
  let server: Server;
  let webhook: Webhook;
  let stopped: string[];

  beforeAll(async () => {
    const [secret, other] = [newSecret(), newSecret()];
    server = createServer((request, response) => void webhook.node(request, response));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
    service = await Shipped.start({ databaseUrl: database.url, policy: policy(url), env: { THEIR_SECRET: secret, OTHER_SECRET: other } });
    stopped = [];
    webhook = createWebhook({
      client: createClient({ url: service.url }),
      secret,
      logger: quiet,
      // Neither by a beat nor by the stream: stops come by the webhook alone.
      worker: { leaseMs: 900_000, commands: false, tracing },
      onEnqueue: (job) => void queue.push(job),
      onStop: ({ subject }) => void stopped.push(subject),
    });
  }, 60_000);
  afterAll(async () => {
    await webhook.close();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    await service.end();
  });

  async function next(attempt: number): Promise<JobMessage> {
    await waitUntil('it is in the queue', () => queue.some((job) => job.attempt === attempt), { withinMs: 20_000 });
    const [job] = queue.splice(0);
    // As a queue would carry it.
    return JSON.parse(JSON.stringify(job)) as JobMessage;
  }
  const viewOf = async (id: string) => (await createClient({ url: service.url }).job({ queue: 'mail', id })) as JobView;

  it('runs a job, gets what failed put back with its token and payload, and refuses a webhook of another secret', async () => {
    const seen: unknown[] = [];
    const run = async (job: JobMessage) =>
      await webhook.run<{ to: string }>(job, ({ payload, attempt, token }) => {
        seen.push([payload, attempt, token]);
        if (attempt === 1) throw new Error('not yet');
        return 'sent';
      });
    const { traceId, spanId } = await produced(() => webhook.add({ queue: 'mail', id: 'welcome', payload: { to: 'ada' }, kind: 'welcome' }));
    expect(await run(await next(1))).toMatchObject({ kind: 'failed', retryable: true });
    const again = await next(2);
    expect(again).toMatchObject({ queue: 'mail', id: 'welcome', kind: 'welcome', attempt: 2, command: { reason: 'backoff' } });
    expect(await run(again)).toEqual({ kind: 'succeeded', value: 'sent' });
    expect(seen).toMatchObject([[{ to: 'ada' }, 1, expect.any(Number)], [{ to: 'ada' }, 2, again.token]]);
    expect(await viewOf('welcome')).toMatchObject({ status: 'succeeded', attempt: 2, anomalies: [] });
    await waitUntil('the other one was refused', () => (webhook.stats().signature_wrong ?? 0) > 0, { withinMs: 20_000 });
    expect(webhook.stats().enqueued).toBe(1);
    expect(queue).toEqual([]);
    // One trace from the producer to the end, and the second attempt linked to the first.
    const [first, second] = attemptsIn(traceId);
    expect([first, second].map(kinOf)).toEqual([{ parent: spanId, links: [] }, { parent: spanId, links: [spanIdOf(first)] }]);
    expect(second?.attributes).toMatchObject({ 'jobwarden.attempt': 2, 'jobwarden.outcome': 'succeeded' });
  });

  it('stops what runs here when somebody cancels it', async () => {
    await webhook.add({ queue: 'mail', id: 'unwanted', payload: {} });
    const job = await next(1);
    const result = webhook.run(job, async ({ signal }) => {
      await service.call('POST', '/v1/queues/mail/jobs/unwanted/cancel', { reason: 'nobody wants it' });
      await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
      signal.throwIfAborted();
    });
    expect(await result).toMatchObject({ kind: 'stopped' });
    await waitUntil('the stop has come', () => stopped.includes('unwanted'), { withinMs: 20_000 });
    expect((await viewOf('unwanted')).status).toBe('cancelled');
  });
});
