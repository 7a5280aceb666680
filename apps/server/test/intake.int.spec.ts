import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { useTestDatabase } from '#libs/testing';
import { event, TestService, worker } from './service.fixture.js';

const POLICY = `
limits: {body: 8KiB, batch: 5, nesting: 8}
redaction: [{pattern: 'secret-[a-z]+'}]
`;

describe('events over HTTP', () => {
  const database = useTestDatabase();
  let service: TestService;

  beforeAll(async () => {
    service = await TestService.start(database.url, POLICY);
  });
  afterAll(() => service.stop());

  const post = (body: unknown, headers: Record<string, string> = {}) =>
    service.call('POST', '/v1/events', { body, headers });

  it('takes structured, binary and batch mode', async () => {
    const structured = await post(event('queued', 's1'), {
      'content-type': 'application/cloudevents+json; charset=utf-8',
    });
    expect(structured.body.results).toMatchObject([{ index: 0, outcome: 'appended', position: { number: 1 } }]);
    const batch = await post([event('queued', 'b1'), event('nonsense', 'b2')], {
      'content-type': 'application/cloudevents-batch+json',
    });
    expect(batch.status).toBe(200);
    expect(batch.body.results).toMatchObject([
      { outcome: 'appended' },
      { outcome: 'quarantined', code: 'unknown_type' },
    ]);
    const binary = await post(
      { queue: 'emails', ...worker('w') },
      {
        'ce-specversion': '1.0',
        'ce-id': '1',
        'ce-source': '/bin',
        'ce-type': 'jobwarden.job.started.v1',
        'ce-subject': 's1',
      },
    );
    expect(binary.body.results).toMatchObject([{ outcome: 'appended' }]);
    expect((await service.get('/v1/queues/emails/jobs/s1')).body.status).toBe('processing');
  });

  it('answers a single event by its status, and keeps what is quarantined', async () => {
    expect(await post(event('requeued', 'x'))).toMatchObject({ status: 409, body: { code: 'decision_from_outside' } });
    const broken = event('started', 'x', { worker: 7 });
    const answer = await post(broken);
    expect(answer).toMatchObject({ status: 400, body: { code: 'schema', results: [{ outcome: 'quarantined' }] } });
    expect(answer.body.detail).toContain('worker');
    const kept = await service.get('/v1/quarantine?reason=schema');
    const [entry] = kept.body.items;
    expect(JSON.parse(entry?.body ?? '')).toMatchObject({ id: broken['id'] });
    const replay = await service.call('POST', `/v1/quarantine/${entry?.entryId ?? ''}/replay`, {
      body: { reason: 'try' },
    });
    expect(replay).toMatchObject({ status: 409, body: { code: 'still_quarantined', state: 'open' } });
    const dismiss = await service.call('POST', `/v1/quarantine/${entry?.entryId ?? ''}/dismiss`, {
      body: { reason: 'test' },
    });
    expect(dismiss.body).toMatchObject({ state: 'dismissed' });
    const again = await service.call('POST', `/v1/quarantine/${entry?.entryId ?? ''}/dismiss`, {
      body: { reason: 'test' },
    });
    expect(again).toMatchObject({ status: 409, body: { code: 'entry_closed' } });
  });

  it('keeps a body that is no JSON, redacted, and shows bytes as base64 where they are no text', async () => {
    const answer = await post('{"token": "secret-abc", broken');
    expect(answer).toMatchObject({ status: 400, body: { code: 'unreadable', quarantined: true } });
    const kept = await service.get('/v1/quarantine?reason=unreadable');
    expect(kept.body.items[0]?.body).toBe('{"token": "[redacted]", broken');
    const bytes = Buffer.from([0xff, 0xfe, 0x00]);
    const sent = await fetch(`${service.url}/v1/events`, {
      method: 'POST',
      body: bytes,
      headers: { 'content-type': 'application/json' },
    });
    expect(sent.status).toBe(400);
    const [entry] = (await service.get('/v1/quarantine?reason=unreadable')).body.items;
    expect(entry?.encoding === 'base64' || entry?.body.includes('\ufffd')).toBe(true);
  });

  it('refuses what is over a limit, naming it, and lists the media types', async () => {
    const large = await post(event('queued', 'big', { payload: 'x'.repeat(9_000) }));
    expect(large).toMatchObject({ status: 413, body: { code: 'too_large' } });
    expect(large.body.detail).toContain('8192');
    const stream = new ReadableStream({
      pull(controller) {
        controller.enqueue(new TextEncoder().encode('x'.repeat(5_000)));
      },
    });
    const endless = await fetch(`${service.url}/v1/events`, {
      method: 'POST',
      body: stream,
      duplex: 'half',
      headers: { 'content-type': 'application/json' },
    }).catch(() => null);
    // The connection may be closed before the answer is read.
    if (endless !== null) expect(endless.status).toBe(413);
    const many = await post(Array.from({ length: 6 }, (_, i) => event('queued', `m${String(i)}`)));
    expect(many).toMatchObject({ status: 413, body: { code: 'too_large' } });
    const text = await post('hello', { 'content-type': 'text/plain' });
    expect(text).toMatchObject({ status: 415, body: { code: 'unsupported_media_type' } });
    expect(text.body.detail).toContain('application/cloudevents+json');
    let deep: unknown = 1;
    for (let i = 0; i < 12; i += 1) deep = [deep];
    expect(await post(event('queued', 'deep', { payload: deep }))).toMatchObject({
      status: 400,
      body: { code: 'too_large' },
    });
  });

  it('checks calls: which field, which rule, what to send', async () => {
    const url = '/v1/queues/emails/jobs/s1/cancel';
    const call = (body: unknown, headers: Record<string, string> = {}) => service.call('POST', url, { body, headers });
    expect(await call({})).toMatchObject({
      status: 400,
      body: { code: 'invalid', errors: [{ field: 'reason', rule: 'is missing' }] },
    });
    expect(await call({ reason: 7 })).toMatchObject({
      status: 400,
      body: { errors: [{ field: 'reason', rule: 'must be string' }] },
    });
    expect(await call('{')).toMatchObject({ status: 400, body: { code: 'unreadable' } });
    expect(await call('x', { 'content-type': 'text/plain' })).toMatchObject({ status: 415 });
    expect((await service.call('POST', url)).status).toBe(400);
    const status = await service.get('/v1/jobs?status=done');
    expect(status.body.errors[0]).toMatchObject({ field: 'status' });
    expect(status.body.errors[0]?.send).toContain('dead-lettered');
    expect((await service.get('/v1/jobs?limit=1001')).status).toBe(400);
    expect((await service.get('/v1/jobs?since=yesterday')).body.errors[0]).toMatchObject({ field: 'since' });
  });

  it('answers every error as problem details', async () => {
    const answers = [
      await service.get('/nowhere'),
      await service.call('DELETE', '/v1/jobs'),
      await service.get('/v1/jobs?what=1'),
      await service.get('/v1/queues/%zz'),
      await service.get('/v1/queues/unheard-of'),
      await post('{'),
    ];
    expect(answers.map((a) => a.status)).toEqual([404, 405, 400, 400, 404, 400]);
    expect(answers[1]?.headers.get('allow')).toBe('GET, HEAD');
    for (const { headers, status, body } of answers) {
      expect(headers.get('content-type')).toContain('application/problem+json');
      expect(body).toMatchObject({ status });
      for (const member of ['type', 'title', 'code', 'detail', 'instance', 'requestId'])
        expect(typeof body[member], member).toBe('string');
    }
  });
});
