import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EvidenceDesk } from '#libs/application';
import { Database, PgEvidenceStore } from '#libs/postgres';
import { useTestDatabase } from '#libs/testing';
import { event, TestService } from './service.fixture.js';

const token = (name: string, scopes: string) => `  - {name: ${name}, hash: ${createHash('sha256').update(name).digest('hex')}, scopes: [${scopes}]}`;
const POLICY = ['tokens:', token('emitter', 'emit'), token('reader', 'read'), token('admin', 'admin')].join('\n');

describe('what one bad worker knows of itself, over REST', () => {
  const database = useTestDatabase();
  let service: TestService;
  let pool: Database;

  beforeAll(async () => {
    service = await TestService.start(database.url, POLICY);
    pool = new Database({ url: database.url, poolSize: 2, role: 'jobwarden_app' });
  });
  afterAll(async () => {
    await pool.close();
    await service.stop();
  });

  const as = (name: string) => ({ authorization: `Bearer ${name}` });
  const upload = (id: string, key: string, name = 'emitter') =>
    service.call('POST', `/v1/evidence/${id}/report`, { body: '{"a":1}', headers: { ...as(name), 'content-type': 'application/octet-stream', 'jobwarden-evidence-key': key } });

  it('is asked for with a heartbeat, taken from who was asked, shown to readers, read and erased by admins alone', async () => {
    const worker = { id: 'w', incarnation: '1', revision: 'bad' };
    const beat = () => ({ ...event('x', 'w'), type: 'jobwarden.worker.heartbeat.v1', data: { worker, jobs: [{ queue: 'mail', id: 'a' }] } });
    const send = (...events: object[]) => service.call('POST', '/v1/events', { body: events, headers: as('emitter') });
    await send(event('started', 'a', { queue: 'mail', worker }), beat());
    await new EvidenceDesk({ store: new PgEvidenceStore(pool), newKey: () => 'its-key', sha256: () => createHash('sha256'), maxBytes: 0 }).ask('5', [{ namespace: 'default', queue: 'mail' }], 'bad');
    const asked = await expect.poll(async () => (await send(beat())).body.results[0]?.['evidence'], { timeout: 5_000 }).toMatchObject({ key: 'its-key', kinds: ['report', 'heap-snapshot'] }).then(() => send(beat()));
    const { id } = asked.body.results[0]?.['evidence'] as { id: string };
    expect((await upload(id, 'its-key', 'nobody')).status).toBe(401);
    expect((await upload(id, 'its-key', 'reader')).body).toMatchObject({ status: 403, code: 'scope_missing' });
    expect((await upload(id, 'another')).body).toMatchObject({ status: 403, code: 'evidence_key_wrong' });
    expect((await upload('999', 'its-key')).body).toMatchObject({ status: 404, code: 'evidence_unknown' });
    const kept = await upload(id, 'its-key');
    expect([kept.status, kept.body]).toEqual([200, { bytes: 7, sha256: createHash('sha256').update('{"a":1}').digest('hex') }]);
    const done = await service.call('POST', `/v1/evidence/${id}/done`, { body: { refused: [{ kind: 'heap-snapshot', reason: 'no' }] }, headers: { ...as('emitter'), 'jobwarden-evidence-key': 'its-key' } });
    expect(done.body).toMatchObject({ outcome: 'captured', worker: 'w', incident: '5' });
    const [late, unknown] = [await upload(id, 'its-key'), await upload('999', 'its-key')];
    expect(late.body).toEqual({ ...unknown.body, instance: `/v1/evidence/${id}/report`, requestId: late.body['requestId'] });
    expect((await send(beat())).body.results[0]).not.toHaveProperty('evidence');
    expect((await service.get('/v1/evidence?incident=5', as('reader'))).body.items).toMatchObject([{ id, parts: [{ kind: 'report', state: 'kept' }, { kind: 'heap-snapshot', state: 'refused', reason: 'no' }] }]);
    expect((await service.get(`/v1/evidence/${id}/report`, as('reader'))).status).toBe(403);
    const read = await service.get(`/v1/evidence/${id}/report`, as('admin'));
    expect([read.text, read.headers.get('cache-control')]).toEqual(['{"a":1}', 'no-store']);
    expect((await service.get(`/v1/evidence/${id}/heap-snapshot`, as('admin'))).status).toBe(404);
    const erased = await service.call('DELETE', `/v1/evidence/${id}`, { body: { reason: 'looked at' }, headers: as('admin') });
    expect(erased.body).toMatchObject({ erased: { by: 'admin', reason: 'looked at' } });
    expect((await service.get(`/v1/evidence/${id}/report`, as('admin'))).body).toMatchObject({ status: 410, code: 'evidence_erased' });
  });
});
