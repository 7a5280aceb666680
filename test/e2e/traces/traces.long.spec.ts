// One job from its producer over a killed worker to its end, as a collector sees it: every process is a real one.
import { join } from 'node:path';
import { createClient } from '@jobwarden/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startProcess, useTestDatabase, waitUntil, type TestProcess } from '#libs/testing';
import { event, Shipped } from '../cases/shipped.js';
import { OtlpReceiver, type ReceivedSpan } from './receiver.js';

const QUEUE = 'mail';
const SECRET = 'correct horse battery staple';
const policy = `
defaults: {actions: act, claims: required, grace: 100ms, backoff: {initial: 10ms, max: 10ms, jitter: 0}}
queues:
  watched: {actions: observe}
`;

describe('the trace of a job whose first worker is killed', () => {
  const database = useTestDatabase();
  const processes: TestProcess[] = [];
  let receiver: OtlpReceiver;
  let service: Shipped;

  beforeAll(async () => {
    receiver = await OtlpReceiver.start();
    service = await Shipped.start({ databaseUrl: database.url, policy, env: receiver.env('jobwarden') });
  });
  afterAll(async () => {
    for (const process of processes) await process.kill();
    await service.end();
    await receiver.end();
  });

  function start(entry: string, name: string, settings: object): TestProcess {
    const env = { ...receiver.env(name), JOBWARDEN_URL: service.url, SETTINGS: JSON.stringify({ queue: QUEUE, id: 'welcome', name, ...settings }) };
    const process = startProcess({ entry: join(import.meta.dirname, 'processes', entry), env });
    processes.push(process);
    return process;
  }
  const view = async () => await createClient({ url: service.url }).job({ queue: QUEUE, id: 'welcome' });
  const claims = async () => {
    const { items } = await service.get<{ items: { type: string; traceparent?: string; data: { attempt: number } }[] }>(`/v1/queues/${QUEUE}/jobs/welcome/events`);
    return items.filter(({ type }) => type === 'jobwarden.job.claimed.v1').map(({ traceparent = '' }) => traceparent.split('-'));
  };

  it('is listed as not completed where nothing is done about it, with the span that no collector has seen, until it ends', async () => {
    const listed = async () => (await service.get<{ items: { id: string; because: string; traceId: string; lastSpan: { spanId: string; worker: { id: string } }; gaps: { until: string | null }[] }[] }>('/v1/traces/incomplete?queue=watched')).items;
    const producer = start('producer.mjs', 'shop', { queue: 'watched', id: 'lonely', payload: {} });
    const [, traceId = '', producerSpan = ''] = await producer.waitForOutput(/queued appended (\w{32}) (\w{16})/u);
    await producer.exited;
    const worker = start('worker.mjs', 'lonely', { queue: 'watched', id: 'lonely', hangs: [1], traceparent: `00-${traceId}-${producerSpan}-01` });
    await worker.waitForOutput(/running 1/u);
    expect(await listed()).toEqual([]);
    await worker.kill();
    await waitUntil('it is listed', async () => (await listed()).length > 0);
    const [item] = await listed();
    expect(item).toMatchObject({ id: 'lonely', because: 'would-have', traceId, lastSpan: { worker: { id: 'lonely' } }, gaps: [{ until: null }] });
    const seen = new Set(receiver.spans.map(({ spanId }) => spanId));
    expect(seen.has(producerSpan)).toBe(true);
    expect(seen.has(item?.lastSpan.spanId ?? producerSpan)).toBe(false);
    const { items } = await service.get<{ items: { type: string; data: { token?: number } }[] }>('/v1/queues/watched/jobs/lonely/events');
    const token = items.find(({ type }) => type === 'jobwarden.job.claimed.v1')?.data.token;
    expect(await service.send([event('succeeded', 'lonely', { queue: 'watched', attempt: 1, token, worker: { id: 'lonely' } })])).toEqual(['appended']);
    expect(await listed()).toEqual([]);
  }, 60_000);

  it('is one, from the producer to the second attempt’s success, with what the service did, and nothing without its parent', async () => {
    const second = start('worker.mjs', 'second', { commands: true });
    const producer = start('producer.mjs', 'shop', { payload: { password: SECRET } });
    const [, traceId = '', producerSpan = ''] = await producer.waitForOutput(/queued appended (\w{32}) (\w{16})/u);
    const first = start('worker.mjs', 'first', { hangs: [1], traceparent: `00-${traceId}-${producerSpan}-01` });
    await first.waitForOutput(/running 1/u);
    await first.kill();
    await second.waitForOutput(/running 2[^]*ended succeeded/u);
    await waitUntil('its end is known', async () => (await view())?.status === 'succeeded');
    for (const process of [producer, second]) await process.exited;
    const [[, firstTrace, firstSpan] = [], [, secondTrace, secondSpan] = []] = await claims();
    expect([firstTrace, secondTrace]).toEqual([traceId, traceId]);
    // It sends what is left.
    await service.stop();

    const job = receiver.of(traceId);
    const named = (name: string) => job.filter((span) => span.name === name);
    expect(named('order')).toMatchObject([{ service: 'shop', spanId: producerSpan }]);
    // The killed one never ended its span; the log has told the second what to link to.
    expect(named(`process ${QUEUE}`)).toMatchObject([{ service: 'second', spanId: secondSpan, parentSpanId: producerSpan, attributes: { 'jobwarden.attempt': 2, 'jobwarden.outcome': 'succeeded' } }]);
    expect(named(`process ${QUEUE}`)[0]?.links).toMatchObject([{ traceId, spanId: firstSpan }]);
    for (const name of ['decide restart-requested', 'decide requeued', 'send enqueue']) {
      expect(named(name), name).toMatchObject([{ service: 'jobwarden', parentSpanId: producerSpan, attributes: { 'messaging.destination.name': QUEUE, 'messaging.message.id': 'welcome' } }]);
    }
    const linked = receiver.spans.filter(({ links }) => links.some((link) => link.traceId === traceId));
    const names = new Set(linked.map(({ name }) => name));
    expect(names).toEqual(new Set([`process ${QUEUE}`, 'ingest', 'look']));

    const known = new Set(receiver.spans.map(({ spanId }) => spanId));
    const orphans = receiver.spans.filter(({ parentSpanId = '' }) => parentSpanId !== '' && !known.has(parentSpanId));
    expect(orphans.map(shown)).toEqual([]);
    expect(JSON.stringify(receiver.spans)).not.toContain(SECRET);
  }, 60_000);
});

function shown({ service, name, traceId, parentSpanId }: ReceivedSpan): string {
  return `${service} ${name} ${traceId} below ${parentSpanId ?? ''}`;
}
