import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Consumer, Producer } from 'kafkajs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cliEntry, freePort, kafkaClient, sharedBrokers, startProcess, startServerProcess, useTopicPrefix, waitUntil, type TestProcess } from '#libs/testing';
import { eventFor, type Canaries } from './canary-events.js';
import { filesBelow, findIn } from './search.js';

const SECRET = randomBytes(8).toString('hex');
const PASSWORD = randomBytes(8).toString('hex');
const canaries: Canaries = {
  pattern: (place) => `sk_canary_${place}_${SECRET}`,
  path: (place) => `${place}-${PASSWORD}`,
  plain: `plain-${randomBytes(8).toString('hex')}`,
};
const POLICY = `
defaults: {actions: act, idempotent: true, maxRetries: 0, maxRedrives: 9}
redaction:
  - {pattern: 'sk_canary_[a-z0-9_]+'}
  - {path: 'data.**.password'}
`;

describe('a secret that the rules of redaction cut', () => {
  const prefix = useTopicPrefix();
  const folder = mkdtempSync(join(tmpdir(), 'jobwarden-canary-'));
  /** What has been answered, by the request. */
  const answers = new Map<string, string>();
  const records = new Map<string, string>();
  let server: TestProcess;
  let url = '';
  let producer: Producer;
  let consumer: Consumer;

  beforeAll(async () => {
    const port = await freePort();
    url = `http://127.0.0.1:${String(port)}`;
    writeFileSync(join(folder, 'policy.yaml'), POLICY);
    mkdirSync(join(folder, 'data'));
    const env = { JOBWARDEN_DATA_DIR: join(folder, 'data'), JOBWARDEN_CONFIG: join(folder, 'policy.yaml'), JOBWARDEN_HTTP_PORT: String(port), JOBWARDEN_LOG_LEVEL: 'trace' };
    const kafka = { JOBWARDEN_KAFKA_BROKERS: sharedBrokers(), JOBWARDEN_TOPIC_PREFIX: prefix, JOBWARDEN_KAFKA_PARTITIONS: '1' };
    server = await startServerProcess({ readyUrl: `${url}/readyz`, withinMs: 60_000, env: { ...env, ...kafka } });
    producer = kafkaClient(sharedBrokers()).producer({ allowAutoTopicCreation: false });
    await producer.connect();
    await server.waitForOutput(/partitions of the topic of events are read/u);
    await waitForTopics();
    consumer = kafkaClient(sharedBrokers()).consumer({ groupId: `${prefix}canary`, maxWaitTimeInMs: 100 });
    await consumer.connect();
    // All that goes out; into the topic of events the secret was put by whoever sent them.
    await consumer.subscribe({ topics: ['commands', 'invalidations', 'dead-letters', 'incidents'].map((name) => `${prefix}${name}`), fromBeginning: true });
    await consumer.run({
      eachMessage: ({ topic, message }) => {
        records.set(`${topic}@${message.offset}`, `${String(message.key)}${String(message.value)}${JSON.stringify(message.headers)}`);
        return Promise.resolve();
      },
    });
  });
  afterAll(async () => {
    await Promise.all([producer.disconnect(), consumer.disconnect(), server.kill()]);
    rmSync(folder, { recursive: true, force: true });
  });

  async function waitForTopics(): Promise<void> {
    const admin = kafkaClient(sharedBrokers()).admin();
    await admin.connect();
    await waitUntil('all topics are made', async () => (await admin.listTopics()).filter((name) => name.startsWith(prefix)).length >= 5);
    await admin.disconnect();
  }

  async function call(method: string, path: string, body?: string): Promise<{ readonly status: number; readonly body: Readonly<Record<string, unknown>> }> {
    const response = await fetch(`${url}${path}`, { method, ...(body !== undefined && { body, headers: { 'content-type': 'application/json' } }) });
    const text = await response.text();
    answers.set(`${method} ${path}`, `${answers.get(`${method} ${path}`) ?? ''}${JSON.stringify([...response.headers])}${text}`);
    const json = response.headers.get('content-type')?.includes('json') === true && !text.includes('\n');
    return { status: response.status, body: json ? (JSON.parse(text) as Record<string, unknown>) : {} };
  }
  const get = async (path: string) => (await call('GET', path)).body;
  const job = async (id: string) => await get(`/v1/queues/canary/jobs/${id}`);
  const is = (id: string, status: string) => waitUntil(`${id} is ${status}`, async () => (await job(id))['status'] === status);
  /** So many records of this job have gone out to a topic. */
  const out = (topic: string, id: string, count: number) =>
    waitUntil(`${id} went out to ${topic}`, () => [...records].filter(([name, text]) => name.startsWith(`${prefix}${topic}@`) && text.includes(`"subject":"${id}"`)).length === count);
  const why = JSON.stringify({ reason: 'a test' });

  /** One way in: HTTP or Kafka. */
  async function lives(id: string, send: (...texts: readonly string[]) => Promise<void>): Promise<void> {
    const { queued, begun, failed, broken } = eventFor(id, canaries);
    for (const attempt of [1, 2]) {
      const events = [...(attempt === 1 ? [queued] : []), ...begun(attempt), failed(attempt)];
      await send(...events.map((event) => JSON.stringify(event)));
      await is(id, 'dead-lettered');
      await out('dead-letters', id, attempt);
      await call('POST', `/v1/queues/canary/jobs/${id}/redrive`, why);
      await out('commands', id, attempt);
    }
    await send(JSON.stringify(failed(3)));
    await is(id, 'dead-lettered');
    await send(...broken);
  }

  async function readAll(): Promise<void> {
    for (const id of ['by-http', 'by-kafka']) {
      const { payload, attempts } = (await job(id)) as { payload: { hash: string }; attempts: readonly { snapshot: { hash: string }; error: { stack: { hash: string } } }[] };
      const hashes = [payload.hash, ...attempts.flatMap(({ snapshot, error }) => [snapshot.hash, error.stack.hash])];
      for (const hash of hashes) await call('GET', `/v1/queues/canary/jobs/${id}/bodies/${hash}`);
      await call('GET', `/v1/queues/canary/jobs/${id}/events`);
      for (const part of ['one', 'one/fixture']) await call('GET', `/v1/dead-letters/${part}?queue=canary&id=${id}`);
    }
    const { items } = (await get('/v1/dead-letters/patterns')) as { items: readonly { id: string }[] };
    for (const { id } of items) for (const part of ['', '/letters']) await call('GET', `/v1/dead-letters/patterns/${id}${part}`);
    const quarantine = (await get('/v1/quarantine')) as { items: readonly { entryId: string }[] };
    expect(quarantine.items).toHaveLength(8);
    for (const { entryId } of quarantine.items) for (const [method, part] of [['GET', ''], ['POST', '/replay']] as const) await call(method, `/v1/quarantine/${entryId}${part}`, method === 'POST' ? why : undefined);
    for (const path of ['jobs', 'dead-letters', 'dead-letters/export', 'queues', 'workers', 'lanes', 'policies', 'verdicts', 'incidents', 'invalidations', 'parked', 'reconciliations', 'shadow-report']) await call('GET', `/v1/${path}`);
    for (const path of ['/metrics', '/readyz']) await call('GET', path);
    for (const stream of ['commands', 'incidents']) await readStream(stream);
  }

  async function readStream(name: string): Promise<void> {
    const over = new AbortController();
    const response = await fetch(`${url}/v1/streams/${name}?from=start`, { signal: over.signal });
    let text = '';
    const decoder = new TextDecoder();
    for await (const chunk of response.body as AsyncIterable<Uint8Array>) {
      text += decoder.decode(chunk, { stream: true });
      if (text.split('\ndata: ').length > 4) break;
    }
    over.abort();
    answers.set(`stream ${name}`, text);
  }

  async function commandLine(): Promise<void> {
    const flags = ['--url', url, '--output'];
    const runs = [['export', ...flags, join(folder, 'letters.ndjson')], ['fixture', 'canary', 'by-http', ...flags, join(folder, 'made')]];
    for (const args of runs) expect(await startProcess({ entry: cliEntry, args: ['dead-letters', ...args] }).exited).toMatchObject({ code: 0 });
    for (const file of ['letters.ndjson', 'made/fixture.json', 'made/job.test.mjs']) answers.set(file, readFileSync(join(folder, file), 'utf8'));
  }

  it('is nowhere: not in answers, topics, metrics and logs, nor in the files of the database and its WAL', async () => {
    await lives('by-http', async (...texts) => {
      for (const text of texts) await call('POST', '/v1/events', text);
    });
    await lives('by-kafka', async (...texts) => {
      const headers = { 'ce-apikey': canaries.pattern('header') };
      await producer.send({ topic: `${prefix}events`, messages: texts.map((value) => ({ key: 'one', value, headers })) });
    });
    const { queued } = eventFor('claimed', canaries);
    await call('POST', '/v1/events', JSON.stringify(queued));
    expect(await call('POST', '/v1/queues/canary/jobs/claimed/claims', JSON.stringify({ claimId: 'c', worker: { id: 'w' } }))).toMatchObject({ status: 201 });
    await waitUntil('what is broken lies in quarantine', async () => ((await get('/v1/quarantine')) as { items: readonly unknown[] }).items.length === 8);
    await commandLine();
    await readAll();
    // With a checkpoint, by which everything is in the files.
    expect(await server.stop('SIGTERM')).toMatchObject({ code: 0 });
    const files = filesBelow(join(folder, 'data'));
    const everywhere = new Map<string, string | Buffer>([...answers, ...records, ['the log', server.output()], ...files]);

    expect(findIn(everywhere, [SECRET, PASSWORD])).toEqual([]);

    const found = findIn(everywhere, [canaries.plain]);
    for (const place of ['/base/', '/pg_wal/', 'commands@', 'dead-letters@', 'one/fixture', 'quarantine', 'export', 'letters.ndjson', '/bodies/', 'stream commands', '/claims', 'made/fixture.json']) {
      expect(found.some((where) => where.includes(place)), place).toBe(true);
    }
    expect(server.output()).toContain('path=/v1/events');
  });
});
