import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { useTestDatabase, waitUntil } from '#libs/testing';
import { event, eventText, TestService, type Body } from './service.fixture.js';
import { EventReader } from './sse.fixture.js';

const folder = mkdtempSync(join(tmpdir(), 'jobwarden-schemas-'));
const file = join(folder, 'order.json');
const SCHEMA = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object',
  properties: { n: { type: 'integer', minimum: 1 }, mail: { type: 'string', format: 'email' } },
  required: ['n'],
  additionalProperties: false,
};

const POLICY = `
defaults: {actions: act, idempotent: true, maxRetries: 0, maxRedrives: 1}
queues:
  checked: {schema: ${file}}
  unusable: {schema: nowhere.json}
redaction:
  - {path: data.payload.card}
limits: {body: 64KiB}
`;

const ODD = '{ "to" : "ada@exmple.com" ,\n "n": 1.0, "id": 12345678901234567890, "tags": [ "\\u0061" ] }';
const PATCH = '[ {"op":"test","path":"/n","value":1}, {"op": "replace", "path": "/to", "value": "ada@example.com"} ]';
const MENDED = ODD.replace('exmple', 'example');
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

describe('a dead letter whose payload was wrong', () => {
  const database = useTestDatabase();
  let service: TestService;
  beforeAll(async () => {
    writeFileSync(file, JSON.stringify(SCHEMA));
    service = await TestService.start(database.url, POLICY);
  });
  afterAll(async () => {
    await service.stop();
    rmSync(folder, { recursive: true });
  });

  const path = (id: string, queue = 'emails') => `/v1/queues/${queue}/jobs/${id}`;
  const letter = async (id: string): Promise<Body> => (await service.get(`/v1/dead-letters/one?queue=emails&id=${id}`)).body;
  const patch = (id: string, call: string | object, queue = 'emails') =>
    service.call('POST', `${path(id, queue)}/patch`, { body: typeof call === 'string' ? call : JSON.stringify(call) });
  const preview = (id: string, operations: readonly object[], queue = 'emails') => patch(id, { patch: operations, preview: true }, queue);

  async function fails(id: string, attempt: number, queue = 'emails'): Promise<void> {
    await service.send(event('failed', id, { queue, attempt, retryable: false, error: { class: 'E', message: 'no' } }));
    await waitUntil('it is dead', async () => (await service.get(path(id, queue))).body.status === 'dead-lettered');
  }
  async function die(id: string, payload = ODD, queue = 'emails'): Promise<void> {
    await service.call('POST', '/v1/events', { body: eventText(event('queued', id, { queue }), payload) });
    await fails(id, 1, queue);
  }

  it('shows what a patch would change, and does nothing', async () => {
    await die('seen');
    const answer = await patch('seen', `{"preview":true,"patch":${PATCH}}`);
    expect((await patch('seen', `\ufeff{"preview":true,"patch":${PATCH}}`)).body['after']).toEqual(answer.body['after']);
    expect(answer).toMatchObject({
      status: 200,
      body: {
        ...{ preview: true, status: 'dead-lettered', attempt: 1 },
        ...{ before: { hash: sha256(ODD) }, after: { hash: sha256(MENDED) }, redacted: [] },
        changes: [{ path: '/to', before: '"ada@exmple.com"', after: '"ada@example.com"' }],
      },
    });
    expect((await service.get(path('seen'))).body).toMatchObject({ status: 'dead-lettered', payload: { hash: sha256(ODD) } });
    expect((await service.get(`${path('seen')}/bodies/${sha256(MENDED)}`)).status).toBe(404);
  });

  it('runs with the new payload then, byte for byte but for what was touched; the old one stays, and its chain tells of it', async () => {
    await die('sent');
    const reader = await EventReader.open(`${service.url}/v1/streams/commands?queue=emails`);
    const call = (result: string) => patch('sent', `{"result":"${result}","reason":"the address was misspelt","patch":${PATCH}}`);
    expect(await call(sha256(ODD))).toMatchObject({ status: 409, body: { code: 'result_differs' } });
    expect(await call(sha256(MENDED))).toMatchObject({ status: 200, body: { preview: false, status: 'requeued', attempt: 2 } });
    const [command] = await reader.until(1);
    reader.close();
    expect(command?.text).toContain(`"payload":${MENDED}}`);
    const claim = await service.call('POST', `${path('sent')}/claims`, { body: { claimId: 'c', worker: { id: 'w' } } });
    expect(claim.text).toContain(`"payload":${MENDED}}`);
    for (const text of [ODD, MENDED]) expect((await service.get(`${path('sent')}/bodies/${sha256(text)}`)).text).toBe(text);

    const { decisions, payload } = (await service.get(path('sent'))).body;
    expect(payload).toEqual({ hash: sha256(MENDED), bytes: MENDED.length });
    expect(decisions.slice(-3).map((d) => [d['kind'], d.by, d['reason']])).toEqual(['patched', 'redriven', 'requeued'].map((kind) => [kind, 'local', 'the address was misspelt']));
    expect(decisions.find((d) => d['kind'] === 'patched')?.['evidence']).toEqual({
      operations: [{ op: 'test', path: '/n' }, { op: 'replace', path: '/to' }],
      before: { hash: sha256(ODD), bytes: ODD.length },
    });
    const { token } = claim.body as unknown as { token: number };
    await service.send(event('failed', 'sent', { attempt: 2, token, retryable: false, error: { class: 'E', message: 'again' } }));
    await waitUntil('it is dead again', async () => (await service.get(path('sent'))).body.status === 'dead-lettered');
    expect(await letter('sent')).toMatchObject({
      payload: { hash: sha256(MENDED) },
      redrives: 1,
      patches: [{ by: 'local', reason: 'the address was misspelt', before: { hash: sha256(ODD) }, after: { hash: sha256(MENDED) } }],
    });
    // The bound on redrives is one for both.
    expect(await preview('sent', [{ op: 'remove', path: '/n' }])).toMatchObject({ status: 409, body: { code: 'max_redrives' } });
    const forced = await patch('sent', { patch: [{ op: 'remove', path: '/n' }], reason: 'once more', force: true });
    expect(forced).toMatchObject({ status: 200, body: { attempt: 3, after: { hash: sha256(MENDED.replace(' ,\n "n": 1.0', '')) } } });
  });

  it('is patched once by two at once: the other is told', async () => {
    await die('raced');
    const both = await Promise.all([1, 2].map((n) => patch('raced', { reason: 'r', patch: [{ op: 'replace', path: '/n', value: n + 1 }] })));
    expect(both.map(({ status }) => status).sort()).toEqual([200, 409]);
    const loser = both.find(({ status }) => status === 409);
    expect(loser?.body.code).toBe('not_dead_lettered');
  });

  it('must fulfil the queue’s JSON Schema then, and is told where it does not', async () => {
    await die('c', '{"n": 0}', 'checked');
    const wrong = [{ op: 'replace', path: '/n', value: 'one' }, { op: 'add', path: '/mail', value: 'nobody' }, { op: 'add', path: '/x', value: 1 }];
    const refused = await preview('c', wrong, 'checked');
    expect(refused).toMatchObject({ status: 422, body: { code: 'schema_failed', schema: file } });
    expect((refused.body['faults'] as { path: string }[]).map((fault) => fault.path).sort()).toEqual(['', '/mail', '/n']);
    expect(await preview('c', [{ op: 'replace', path: '/n', value: 2 }], 'checked')).toMatchObject({ status: 200, body: { schema: file } });
    writeFileSync(file, JSON.stringify({ ...SCHEMA, properties: { n: { minimum: 3 } } }));
    expect(await preview('c', [{ op: 'replace', path: '/n', value: 2 }], 'checked')).toMatchObject({ status: 422, body: { faults: [{ path: '/n' }] } });
    writeFileSync(file, '{');
    expect(await preview('c', [{ op: 'replace', path: '/n', value: 9 }], 'checked')).toMatchObject({ status: 409, body: { code: 'schema_unusable' } });
    await die('u', '{}', 'unusable');
    expect(await preview('u', [], 'unusable')).toMatchObject({ status: 409, body: { code: 'schema_unusable' } });
  });

  it('is redacted like any payload', async () => {
    await die('cut');
    const answer = await patch('cut', { reason: 'r', patch: [{ op: 'add', path: '/card', value: '4111-secret' }] });
    expect(answer).toMatchObject({ status: 200, body: { redacted: ['data.payload.card'], changes: [{ path: '/card', after: '"[redacted]"' }] } });
    const { hash } = answer.body['after'] as { hash: string };
    expect((await service.get(`${path('cut')}/bodies/${hash}`)).text).toBe(ODD.replace('] }', '], "card" : "[redacted]" }'));
    expect((await service.get(`${path('cut')}/events`)).text).not.toContain('4111');
  });

  describe('is left as it is, with a clear answer', () => {
    beforeAll(() => die('kept'));

    it.each<[string, readonly object[], number, object]>([
      ['what is not there', [{ op: 'test', path: '/n', value: 1 }, { op: 'remove', path: '/x/y' }], 422, { code: 'patch_does_not_apply', operation: 1, path: '/x/y' }],
      ['another value', [{ op: 'test', path: '/n', value: 2 }], 422, { code: 'patch_test_failed', operation: 0, path: '/n' }],
      ['a prototype', [{ op: 'add', path: '/__proto__/x', value: 1 }], 422, { code: 'patch_path_refused', operation: 0, path: '/__proto__/x' }],
      ['no pointer', [{ op: 'remove', path: 'n' }], 422, { code: 'patch_invalid', operation: 0 }],
      ['no such operation', [{ op: 'set', path: '/n' }], 400, { code: 'invalid' }],
      ['thousands of operations', Array.from({ length: 1_001 }, () => ({ op: 'remove', path: '/n' })), 422, { code: 'patch_too_long' }],
      ['a body that grows without end', Array.from({ length: 50 }, (_, i) => ({ op: 'copy', from: '', path: `/x${String(i)}` })), 422, { code: 'payload_too_large' }],
      ['too deep a body', [{ op: 'add', path: '/x', value: JSON.parse('['.repeat(40) + ']'.repeat(40)) as unknown }], 422, { code: 'payload_refused' }],
      ['no change', [{ op: 'move', from: '/n', path: '/n' }, { op: 'test', path: '/n', value: 1 }], 422, { code: 'patch_changes_nothing' }],
    ])('by a patch with %s', async (_, operations, status, body) => {
      expect(await patch('kept', { patch: operations, reason: 'r' })).toMatchObject({ status, body });
      expect((await service.get(path('kept'))).body).toMatchObject({ status: 'dead-lettered', payload: { hash: sha256(ODD) } });
    });

    it('where nobody says why, where it is no dead letter, where its payload is elsewhere, missing or erased', async () => {
      const operations = [{ op: 'remove', path: '/n' }];
      expect(await patch('kept', { patch: operations })).toMatchObject({ status: 400, body: { code: 'reason_required' } });
      await service.send(event('queued', 'alive', { payload: {} }), event('queued', 'ref', { payloadRef: 's3://bucket/key' }), event('queued', 'none'));
      expect(await preview('alive', operations)).toMatchObject({ status: 409, body: { code: 'not_dead_lettered', job: { status: 'queued' } } });
      await fails('ref', 1);
      await fails('none', 1);
      expect(await preview('ref', operations)).toMatchObject({ status: 409, body: { code: 'payload_elsewhere' } });
      expect((await preview('ref', operations)).body.detail).toContain('s3://bucket/key');
      expect(await preview('none', operations)).toMatchObject({ status: 409, body: { code: 'payload_missing' } });
      await die('erased');
      await service.call('DELETE', `${path('erased')}/payload`, { body: { reason: 'asked for' } });
      expect(await preview('erased', operations)).toMatchObject({ status: 409, body: { code: 'payload_erased' } });
      expect(await preview('nobody', operations)).toMatchObject({ status: 404, body: { code: 'job_unknown' } });
      expect((await service.call('POST', '/v1/jobs/one/patch?queue=emails&id=kept', { body: { patch: operations, preview: true } })).status).toBe(200);
    });
  });

  it('is erased with both of its payloads', async () => {
    await die('both');
    await patch('both', { reason: 'r', patch: [{ op: 'remove', path: '/n' }] });
    const { payload } = (await service.get(path('both'))).body as unknown as { payload: { hash: string } };
    expect(payload.hash).not.toBe(sha256(ODD));
    await service.call('DELETE', `${path('both')}/payload`, { body: { reason: 'asked for' } });
    for (const hash of [payload.hash, sha256(ODD)]) expect((await service.get(`${path('both')}/bodies/${hash}`)).status).toBe(410);
  });
});
