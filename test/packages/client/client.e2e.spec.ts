import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestDatabase, waitUntil } from '#libs/testing';
import {
  createClient,
  createEmitter,
  filePositions,
  readCommands,
  RefusedCallError,
  UnreachableError,
  type Client,
  type EnqueueCommand,
  type StopCommand,
  type StreamItem,
} from '@jobwarden/client';
import { Shipped } from '../../e2e/cases/shipped.js';

const POLICY = 'defaults: {actions: act, idempotent: true, grace: 100ms}\n';
const worker = { id: 'w-1', incarnation: 'a' };

describe('the client against the service', () => {
  const cleanUp: (() => unknown)[] = [];
  let service: Shipped;
  let client: Client;

  beforeAll(async () => {
    const database = await createTestDatabase();
    cleanUp.push(() => database.drop());
    service = await Shipped.start({ databaseUrl: database.url, policy: POLICY });
    cleanUp.push(() => service.end());
    client = createClient({ url: service.url });
  });
  afterAll(async () => {
    for (const step of cleanUp.splice(0).reverse()) await step();
  });

  it('claims once, whatever the id looks like, and reads the job', async () => {
    const job = { queue: 'odd names', id: '../a b/%2F?ü:😀' };
    expect(await client.job(job)).toBeNull();
    const call = { claimId: 'c-1', worker, leaseMs: 60_000 };
    const granted = await client.claim(job, call);
    expect(granted).toMatchObject({ kind: 'granted', attempt: 1, token: 1, leaseMs: 60_000 });
    expect(await client.claim(job, call)).toEqual(granted);
    const other = await client.claim(job, { ...call, claimId: 'c-2' });
    expect(other).toMatchObject({ kind: 'refused', code: 'held', status: 409 });
    expect(other.kind === 'refused' && (other.retryAfterMs ?? 0) > 0).toBe(true);
    expect(await client.job(job)).toMatchObject({ id: job.id, status: 'processing', attempt: 1 });
  });

  it('is told of a paused queue with the time after which to ask again', async () => {
    await client.call('POST', '/v1/queues/closed/pause', { reason: 'test' });
    expect((await client.queue('closed'))?.gate).toMatchObject({ gate: 'paused' });
    await waitUntil('the replica has seen it', async () => (await client.claim({ queue: 'closed', id: '1' }, { claimId: '1', worker })).kind === 'refused');
    expect(await client.claim({ queue: 'closed', id: '1' }, { claimId: '1', worker })).toMatchObject({ code: 'paused', status: 429, retryAfterMs: 5_000 });
  });

  it('tells a call that is refused from a service that is away', async () => {
    await expect(client.call('GET', '/v1/nothing')).rejects.toMatchObject({ name: 'RefusedCallError', status: 404, code: 'route_unknown' });
    await expect(client.sendText('no JSON')).rejects.toBeInstanceOf(RefusedCallError);
    await expect(createClient({ url: 'http://127.0.0.1:1' }).queue('q')).rejects.toBeInstanceOf(UnreachableError);
  });

  it('reads commands at least once over a break, from where the file says', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'jobwarden-client-'));
    cleanUp.push(() => rmSync(folder, { recursive: true }));
    const positions = filePositions(join(folder, 'deep', 'position'));
    const emitter = createEmitter({ client, source: 'test' });
    const got: string[] = [];
    let fails = 1;
    const read = (signal: AbortSignal) =>
      readCommands({
        ...{ client, queues: ['mine', 'also-mine'], positions, signal, logger: { info: () => undefined, warn: () => undefined } },
        onEnqueue: ({ subject, data }: EnqueueCommand) => {
          if ((fails -= 1) >= 0) throw new Error('the queue is away');
          got.push(`enqueue ${subject} ${String(data.attempt)}`);
        },
        onStop: ({ subject, data }: StopCommand) => void got.push(`stop ${subject} ${String(data.attempt)}`),
      });
    const first = new AbortController();
    const reading = read(first.signal);
    await waitUntil('it has a position', async () => (await positions.load()) !== null);
    const begin = async (queue: string, jobId: string) => {
      await emitter.ask({ type: 'queued', queue, jobId, data: { payload: { n: 1 } } });
      await emitter.ask({ type: 'started', queue, jobId, data: { worker } });
    };
    await begin('mine', 'a');
    await emitter.ask({ type: 'released', queue: 'mine', jobId: 'a' });
    await waitUntil('the command is here, after a failure', () => got.length === 1);
    first.abort();
    await reading;

    await begin('also-mine', 'b');
    await begin('not-mine', 'c');
    await client.call('POST', '/v1/jobs/one/cancel?queue=not-mine&id=c', { reason: 'test' });
    await client.call('POST', '/v1/jobs/one/cancel?queue=also-mine&id=b', { reason: 'test' });
    const second = new AbortController();
    const again = read(second.signal);
    await waitUntil('the stop of the time between is here', () => got.includes('stop b 1'));
    second.abort();
    await again;
    expect(got.filter((line) => line !== 'enqueue a 2')).toEqual(['stop b 1']);
    await emitter.close();
  });

  it('goes on behind the last event when the service was killed', async () => {
    const items: StreamItem[] = [];
    const ended = new AbortController();
    const reading = (async () => {
      for await (const item of client.stream('commands', { queue: 'kill', signal: ended.signal })) items.push(item);
    })();
    await waitUntil('the stream stands', () => items.length > 0);
    await service.kill();
    await service.startAgain();
    const emitter = createEmitter({ client, source: 'test' });
    await emitter.ask({ type: 'started', queue: 'kill', jobId: 'a', data: { worker } }, { wait: true });
    await client.call('POST', '/v1/jobs/one/cancel?queue=kill&id=a', { reason: 'test' });
    await waitUntil('the stop is there', () => items.some((item) => item.kind === 'event' && item.event.subject === 'a'));
    expect(items.filter(({ kind }) => kind === 'reset')).toEqual([]);
    ended.abort();
    await reading;
    await emitter.close();
  });
});
