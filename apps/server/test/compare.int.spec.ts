import { once } from 'node:events';
import { request } from 'node:http';
import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { useTestDatabase } from '#libs/testing';
import { event, TestService, worker } from './service.fixture.js';

const sha256 = (token: string) => createHash('sha256').update(token).digest('hex');
const POLICY = `
queues:
  emails: {idempotent: true}
  act: {idempotent: true, actions: act}
`;
const TOKENS = `
tokens:
  - {name: reader, hash: ${sha256('reading')}, scopes: [read], namespaces: [default]}
`;
const NDJSON = { 'content-type': 'application/x-ndjson' };
const LINES = { ...NDJSON, accept: 'application/x-ndjson' };

describe('comparing a list with what is known', () => {
  const database = useTestDatabase();
  let service: TestService;

  beforeAll(async () => {
    service = await TestService.start(database.url, POLICY);
    await service.send(
      event('queued', 'done', { invalidates: { keys: ['k'], tags: [] } }),
      event('succeeded', 'done', worker('w')),
      event('started', 'busy', { ...worker('w'), leaseMs: 600_000 }),
      event('queued', 'waits'),
      event('queued', 'act-waits', { queue: 'act' }),
    );
  });
  afterAll(() => service.stop());

  const compare = (query: string, body: string, headers: Readonly<Record<string, string>> = NDJSON) =>
    service.call('POST', `/v1/reconciliations/compare${query}`, { body, headers });
  const list = (...jobs: readonly object[]) => jobs.map((job) => JSON.stringify(job)).join('\n');
  const linesOf = (text: string) => text.trimEnd().split('\n').map((line) => JSON.parse(line) as Record<string, unknown>);

  it('answers one object with figures, examples and broken lines', async () => {
    const body = `${list({ id: 'done', status: 'active' }, { id: 'busy', status: 'completed' }, { id: 'waits', status: 'wait' }, { id: 9, status: 'active' })}\nqueue;id\n\n{"id":"x","status":"?"}`;
    const answer = await compare('?queue=emails&preset=bullmq', body);
    expect(answer).toMatchObject({
      status: 200,
      body: {
        compared: 4,
        same: 1,
        moved: 0,
        broken: 2,
        total: 3,
        differences: { unknown_here: 1, unknown_there: 0, theirs_behind: 1, theirs_ahead: 1, differs: 0 },
        examples: [
          { kind: 'theirs_behind', line: 1, id: 'done', theirs: { status: 'active', means: 'processing' }, ours: { status: 'succeeded', attempt: 1 } },
          { kind: 'theirs_ahead', line: 2, id: 'busy', ours: { status: 'processing' } },
          { kind: 'unknown_here', line: 4, id: '9', ours: null },
        ],
        brokenLines: [
          { line: 5, reason: 'not_json' },
          { line: 7, reason: 'status_unknown' },
        ],
      },
    });
    expect(answer.body).not.toHaveProperty('mended');
  });

  it('finds in a complete list of a queue what it does not name, and takes an empty one', async () => {
    const answer = await compare('?queue=emails&complete=true', list({ id: 'busy', status: 'processing' }), LINES);
    expect(answer.headers.get('content-type')).toContain('application/x-ndjson');
    expect(linesOf(answer.text)).toMatchObject([
      { type: 'difference', kind: 'unknown_there', id: 'waits', line: null, theirs: null, ours: { status: 'queued' } },
      { type: 'summary', compared: 1, same: 1, total: 1 },
    ]);
    const empty = await service.call('POST', '/v1/reconciliations/compare?queue=emails&complete=true');
    expect(empty.body).toMatchObject({ compared: 0, total: 2, differences: { unknown_there: 2 } });
  });

  it('counts what changed since the list was made as movement', async () => {
    const answer = await compare('?queue=emails&asOf=2020-01-01T00:00:00Z', list({ id: 'done', status: 'processing' }));
    expect(answer.body).toMatchObject({ moved: 1, total: 0, asOf: '2020-01-01T00:00:00.000Z' });
  });

  it('mends at the level of the queue, tells why not, and sends the keys of stale caches again', async () => {
    const jobs = list({ id: 'busy', status: 'queued' }, { id: 'waits', status: 'unknown' }, { queue: 'act', id: 'act-waits', status: 'unknown' });
    const answer = await compare('?queue=emails&map=unknown:unknown&mend=requeue&reason=lost%20there', jobs);
    expect(answer.body).toMatchObject({
      mended: { done: 1, 'would-have': 1, held: 1, 'not-applicable': 0 },
      examples: [
        { id: 'busy', mend: { outcome: 'held', why: 'lease' } },
        { id: 'waits', mend: { outcome: 'would-have', why: 'observe' } },
        { id: 'act-waits', mend: { outcome: 'done' } },
      ],
    });
    const job = await service.get('/v1/queues/act/jobs/act-waits');
    expect(job.body.decisions).toMatchObject([{ kind: 'republished', by: 'local', reason: 'lost there' }]);

    const stale = await compare('?queue=emails&mend=invalidate&reason=stale', list({ id: 'done', status: 'processing' }));
    expect(stale.body['mended']).toMatchObject({ done: 1 });
    await expect
      .poll(async () => (await service.get('/v1/invalidations?queue=emails')).body.items.map((i) => i['cause']), { timeout: 20_000 })
      .toContain('requested');
  });

  it.each([
    ['?preset=sidekiq', 'preset'],
    ['?preset=bullmq&map=a:queued', 'map'],
    ['?map=active', 'map'],
    ['?map=active:running', 'map'],
    ['?complete=true', 'queue'],
    ['?mend=requeue', 'reason'],
    ['?mend=restart&reason=r', 'mend'],
    ['?reason=r', 'reason'],
    ['?asOf=yesterday', 'asOf'],
    ['?status=queued', 'status'],
  ])('refuses what does not fit together: %s', async (query, field) => {
    const answer = await compare(query, list({ queue: 'q', id: '1', status: 'queued' }));
    expect(answer).toMatchObject({ status: 400, body: { code: 'invalid' } });
    expect(answer.body.errors.map((e) => e.field)).toContain(field);
  });

  it('refuses what is no list', async () => {
    expect(await compare('', '[]', { 'content-type': 'application/json' })).toMatchObject({ status: 415, body: { code: 'unsupported_media_type' } });
    expect(await compare('', '')).toMatchObject({ status: 400, body: { code: 'list_empty' } });
    expect(await compare('', '\n \n', LINES)).toMatchObject({ status: 400, body: { code: 'list_empty' } });
    expect(await compare('?queue=q&complete=true&mend=requeue&reason=r', '')).toMatchObject({ status: 400, body: { code: 'list_empty' } });
    const binary = await service.call('POST', '/v1/reconciliations/compare', { body: '\u0000\u0001\nqueue,id\n<xml/>', headers: NDJSON });
    expect(binary.body).toMatchObject({ compared: 0, broken: 3, total: 0 });
  });

  it('takes 100,000 lines in pieces, far beyond the limit of other bodies, and answers while they come', async () => {
    const call = request(`${service.url}/v1/reconciliations/compare?queue=emails&map=gone:unknown`, { method: 'POST', headers: LINES });
    let [bytes, told] = [0, 0];
    let last: Record<string, unknown> = {};
    const begun = once(call, 'response').then(([response]) => (response as NodeJS.ReadableStream).setEncoding('utf8'));
    const read = begun.then(async (response) => {
      let rest = '';
      for await (const chunk of response) {
        const parts = (rest + String(chunk)).split('\n');
        rest = parts.pop() ?? '';
        for (const part of parts) last = JSON.parse(part) as Record<string, unknown>;
        told += parts.length;
      }
    });
    const send = async (from: number, to: number) => {
      for (let at = from; at < to; at += 1_000) {
        const piece = Array.from({ length: 1_000 }, (_, n) =>
          JSON.stringify({ id: `ghost-${String(at + n)}`, status: n % 10 < 3 ? 'processing' : 'gone', padding: 'x'.repeat(60) }),
        );
        const text = `${piece.join('\n')}\n`;
        bytes += text.length;
        if (!call.write(text)) await once(call, 'drain');
      }
    };
    await send(0, 80_000);
    // A service that held all differences back until the list has ended would never answer here.
    await begun;
    await send(80_000, 100_000);
    call.end();
    await read;
    expect(bytes).toBeGreaterThan(10_000_000);
    expect(last).toMatchObject({ type: 'summary', compared: 100_000, same: 70_000, total: 30_000, differences: { unknown_here: 30_000 } });
    expect(told).toBe(30_001);
  });

  it('lets a token that may only read compare, and not mend; other namespaces are not there for it', async () => {
    const guarded = await TestService.start(database.url, POLICY + TOKENS);
    const as = { ...NDJSON, authorization: 'Bearer reading' };
    const body = list({ id: 'done', status: 'processing' }, { namespace: 'acme', id: 'x', status: 'queued' });
    const call = (query: string) => guarded.call('POST', `/v1/reconciliations/compare?queue=emails${query}`, { body, headers: as });
    expect((await call('')).body).toMatchObject({ total: 1, brokenLines: [{ line: 2, reason: 'namespace_unknown' }] });
    expect(await call('&mend=invalidate&reason=r')).toMatchObject({ status: 403, body: { code: 'scope_missing' } });
    expect(await call('&namespace=acme')).toMatchObject({ status: 404, body: { code: 'namespace_unknown' } });
    await guarded.stop();
  });
});
