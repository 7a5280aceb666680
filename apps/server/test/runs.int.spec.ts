import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Incidents } from '#libs/application';
import type { IncidentStepDraft } from '#libs/domain';
import { Database, PgIncidentStore, PgRefusedRevisionStore, PgRunStore, QueueIds } from '#libs/postgres';
import { useTestDatabase } from '#libs/testing';
import { TestService, type Answer } from './service.fixture.js';

const hash = (token: string) => createHash('sha256').update(token).digest('hex');
const token = (name: string, namespaces: string, scopes = 'read, operate, emit') => `  - {name: ${name}, hash: ${hash(name)}, scopes: [${scopes}], namespaces: [${namespaces}]}`;
const ABOUT = { target: null, namespace: 'default', queues: ['parcels'], queueCount: 1, source: 'signal', revision: null, dryRun: false } as const;
const QUEUES = 'queues:\n  mails: {rollback: {target: "simulated:mailer"}}\nnamespaces:\n  acme:\n    queues: {letters: {rollback: {target: "simulated:printer"}}}';

describe('runs over REST', () => {
  const database = useTestDatabase();
  let service: TestService;
  let pool: Database;
  let incidents: Incidents;

  beforeAll(async () => {
    const tokens = ['tokens:', token('all', '"*"'), token('acme', 'acme'), token('reader', '"*"', 'read')].join('\n');
    // Nobody drives them: a run is where its steps say.
    service = await TestService.start(database.url, `${QUEUES}\n${tokens}`, { JOBWARDEN_ROLES: 'api' });
    pool = new Database({ url: database.url, poolSize: 2, role: 'jobwarden_app' });
    incidents = new Incidents(new PgIncidentStore(pool, new QueueIds(pool)));
    for (const [namespace, queue] of [['default', 'mails'], ['default', 'parcels'], ['default', 'stamps'], ['acme', 'letters']]) {
      const event = { specversion: '1.0', id: '1', source: 't', subject: 'j', namespace, type: 'jobwarden.job.queued.v1', data: { queue } };
      expect((await as('all', 'POST', '/v1/events', event)).status).toBe(200);
    }
  });
  afterAll(async () => {
    await pool.close();
    await service.stop();
  });

  const as = (name: string | null, method: string, path: string, body?: object): Promise<Answer> =>
    service.call(method, path, { ...(body !== undefined && { body }), headers: name === null ? {} : { authorization: `Bearer ${name}` } });
  const open = (name: string, body: object, query = '') => as(name, 'POST', `/v1/incidents${query}`, { reason: 'it eats mails', ...body });
  const say = async (id: string, ...steps: readonly IncidentStepDraft[]): Promise<void> => {
    for (const step of steps) {
      const { body } = await as('all', 'GET', `/v1/incidents/${id}`);
      expect(await incidents.advance(id, (body['steps'] as unknown[]).length, step)).not.toBe('stale');
    }
  };
  const plan = { does: 'roll-back', throttles: true, needsApproval: true, held: null, refused: null };
  const assessed: IncidentStepDraft = { type: 'cause-assessed', by: 'jobwarden', reason: 'v2', evidence: { cause: 'bad_revision', subject: 'v2', plan } };
  const asks = (): IncidentStepDraft => ({ type: 'approval-requested', by: 'jobwarden', reason: 'a person has to approve <b>this</b>', evidence: { plan: ['refuse v2'], deadlineMs: Date.now() + 3_600_000 } });

  it('are opened by hand, one for each target, and show where they stand', async () => {
    const opened = await open('all', { target: 'simulated:mailer', revision: 'v2' });
    expect(opened).toMatchObject({ status: 201, body: { kind: 'saturation', subject: 'simulated:mailer', summary: 'it eats mails', status: 'open' } });
    expect(opened.body['run']).toMatchObject({ phase: 'assessing', target: 'simulated:mailer', source: 'person', dryRun: false, queues: [{ namespace: 'default', queue: 'mails', saturated: true, percent: null }] });
    const id = String(opened.body['incidentId']);
    expect(await open('all', { queue: 'mails' })).toMatchObject({ status: 409, body: { code: 'incident_open', status: 409, incidentId: id, state: 'open' } });
    expect((await as('all', 'POST', `/v1/incidents/${id}/resolve`, { reason: 'done' })).body).toMatchObject({ status: 'resolved', run: { phase: 'over' } });
    expect(await as('all', 'POST', `/v1/incidents/${id}/approve`, { reason: 'r' })).toMatchObject({ status: 409, body: { code: 'incident_resolved', status: 409, state: 'resolved' } });
  });

  it('are refused with what to do', async () => {
    expect(await open('all', {})).toMatchObject({ status: 400, body: { code: 'target_or_queue' } });
    expect(await open('all', { queue: 'mails', target: 'simulated:mailer' })).toMatchObject({ status: 400, body: { code: 'target_or_queue' } });
    expect(await open('all', { queue: 'nobody' })).toMatchObject({ status: 404, body: { code: 'queue_unknown' } });
    expect(await open('all', { target: 'simulated:nobody' })).toMatchObject({ status: 404, body: { code: 'target_unknown' } });
    expect(await open('all', { queue: 'parcels', reason: '  ' })).toMatchObject({ status: 400, body: { code: 'reason_required' } });
    expect(await open('reader', { queue: 'parcels' })).toMatchObject({ status: 403, body: { code: 'scope_missing' } });
    const [lane] = [(await incidents.open('lane_out_of_range', 'kafka/events/1', { reason: 'gone' })).incident.id];
    expect(await as('all', 'POST', `/v1/incidents/${lane}/approve`, { reason: 'r' })).toMatchObject({ status: 409, body: { code: 'not_a_run' } });
    expect(await as('all', 'POST', '/v1/incidents/4711/abort', { reason: 'r' })).toMatchObject({ status: 404, body: { code: 'incident_unknown' } });
  });

  it('of other namespaces are not there', async () => {
    expect(await open('acme', { target: 'simulated:mailer' })).toMatchObject({ status: 404, body: { code: 'target_unknown' } });
    const own = await open('acme', { queue: 'letters' }, '?namespace=acme');
    expect(own).toMatchObject({ status: 201, body: { subject: 'simulated:printer' } });
    expect((await as('acme', 'GET', `/v1/incidents/${String(own.body['incidentId'])}`)).status).toBe(200);
    const others = await open('all', { queue: 'parcels', dryRun: true });
    expect(others).toMatchObject({ status: 201, body: { subject: 'default/by-hand/parcels', run: { dryRun: true, target: null } } });
    expect((await as('acme', 'GET', `/v1/incidents/${String(others.body['incidentId'])}`)).status).toBe(404);
  });

  it('are listed by the queues that they are about, and only where the token sees all of those', async () => {
    const ids = async (name: string, query: string) => (await as(name, 'GET', `/v1/incidents?kind=saturation${query}`)).body.items.map((item) => String(item['incidentId']));
    const [of] = await ids('all', '&queue=letters');
    expect(await ids('all', '&queue=letters')).toEqual([of]);
    expect(await ids('all', '&namespace=acme')).toEqual([of]);
    expect(await ids('all', '&namespace=default&queue=letters')).toEqual([]);
    expect(await ids('acme', '')).toEqual([of]);
    expect(await ids('acme', '&queue=letters')).toEqual([of]);
    expect(await ids('acme', '&queue=parcels')).toEqual([]);
    const call = `/v1/incidents/${String(of)}/postmortem`;
    expect((await as('acme', 'GET', call)).status).toBe(200);
    expect((await as('acme', 'POST', `${call}/follow-ups`, { text: 'a timeout' })).status).toBe(201);
    expect((await as('acme', 'GET', '/v1/follow-ups')).body.items).toMatchObject([{ text: 'a timeout' }]);
    const runs = new PgRunStore(pool, new QueueIds(pool));
    await runs.join(String(of), [{ namespace: 'default', queue: 'parcels', saturated: true }]);
    expect(await ids('all', '&namespace=acme')).toEqual([of]);
    expect(await ids('all', '&queue=parcels')).toContain(of);
    expect(await ids('acme', '')).toEqual([]);
    expect((await as('acme', 'GET', call)).status).toBe(404);
  });

  it('wait for an approval, by a token or by a link that approves once and only by POST', async () => {
    const { body } = await open('all', { target: 'simulated:mailer' });
    const id = String(body['incidentId']);
    expect(await as('all', 'POST', `/v1/incidents/${id}/approve`, { reason: 'r' })).toMatchObject({ status: 409, body: { code: 'nothing_to_approve' } });
    expect(await as('all', 'POST', `/v1/incidents/${id}/approval-link`)).toMatchObject({ status: 409, body: { code: 'nothing_to_approve' } });
    await say(id, assessed, asks());
    expect((await as('all', 'GET', `/v1/incidents/${id}`)).body).toMatchObject({ cause: 'bad_revision', run: { phase: 'waiting-for-approval', cause: 'bad_revision', blamed: 'v2', plan: ['refuse v2'] } });
    const listed = async (cause: string) => (await as('all', 'GET', `/v1/incidents?status=open&cause=${cause}`)).body.items.map((item) => [item['incidentId'], item['cause']]);
    expect(await listed('bad_revision')).toEqual([[id, 'bad_revision']]);
    expect(await listed('memory')).toEqual([]);
    const [shown] = (await as('all', 'GET', '/v1/incidents?status=open&cause=bad_revision')).body.items;
    expect(shown).toMatchObject({ run: { phase: 'waiting-for-approval', target: 'simulated:mailer', source: 'person', blamed: 'v2', code: null, takenBy: null, queues: [{ namespace: 'default', queue: 'mails' }], queueCount: 1 } });
    expect(shown?.['run']).toHaveProperty('until', expect.any(String));
    const past = (await as('all', 'GET', '/v1/incidents?status=resolved&kind=saturation')).body.items;
    expect(past).toMatchObject([{ run: { phase: 'over', target: 'simulated:mailer', takenBy: 'all', queueCount: 1 } }]);
    expect((await as('all', 'GET', '/v1/incidents?kind=lane_out_of_range')).body.items[0]).not.toHaveProperty('run');
    expect(await as('all', 'GET', '/v1/incidents?cause=bad-luck')).toMatchObject({ status: 400 });
    expect((await as('all', 'GET', '/v1/incidents?queue=parcels')).body.items.map((item) => item['cause'])).toContain(null);
    expect((await as('reader', 'POST', `/v1/incidents/${id}/approval-link`)).status).toBe(403);
    // What was read is approved, and nothing that came in its place meanwhile.
    expect(await as('all', 'POST', `/v1/incidents/${id}/approve`, { reason: 'r', asked: 2 })).toMatchObject({ status: 409, body: { code: 'not_asked_any_more', state: 'open' } });
    // Mistyped it would approve whatever is asked.
    expect(await as('all', 'POST', `/v1/incidents/${id}/approve`, { reason: 'r', ask: 2 })).toMatchObject({ status: 400, body: { code: 'invalid', errors: [{ field: 'ask', rule: 'is not known here' }] } });
    expect((await as('all', 'GET', `/v1/incidents/${id}`)).body['run']).toMatchObject({ phase: 'waiting-for-approval' });
    const link = String((await as('all', 'POST', `/v1/incidents/${id}/approval-link`)).body['path']);
    const page = await as(null, 'GET', link);
    expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    expect(page.text).toContain('<form method="post"');
    expect(page.text).toContain('approve &lt;b&gt;this&lt;/b&gt;');
    expect((await as('all', 'GET', `/v1/incidents/${id}`)).body['run']).toMatchObject({ phase: 'waiting-for-approval' });
    expect(await as(null, 'POST', link.replace('by=all', 'by=eve'))).toMatchObject({ status: 403, body: { code: 'link_invalid' } });
    // As a browser sends a form without fields.
    const form = await fetch(new URL(link, service.url), { method: 'POST', headers: { 'content-type': 'application/x-www-form-urlencoded' }, body: '' });
    expect([form.status, await form.json()]).toEqual([200, { incidentId: id, approved: true }]);
    expect(await as(null, 'POST', link)).toMatchObject({ status: 409, body: { code: 'nothing_to_approve' } });
    expect((await as(null, 'GET', link)).text).not.toContain('<form');
    const steps = (await as('all', 'GET', `/v1/incidents/${id}`)).body['steps'] as { type: string; by: string }[];
    expect(steps.at(-1)).toMatchObject({ type: 'approved', by: 'link:all' });
    await say(id, { type: 'escalated', by: 'jobwarden', reason: 'r', evidence: { code: 'forbidden' } });
    expect(await as(null, 'POST', link)).toMatchObject({ status: 409, body: { code: 'not_asked_any_more' } });
    expect(await as('all', 'POST', `/v1/incidents/${id}/approve`, { reason: 'the right is there now' })).toMatchObject({ status: 200 });
  });

  it('keep out what they refuse until each of them is over, whoever refused it first', async () => {
    const revisions = new PgRefusedRevisionStore(pool);
    const byHand = await open('all', { queue: 'stamps', revision: 'v2' });
    const ids = [String(byHand.body['incidentId']), (await incidents.open('saturation', 'default/bad_revision/v2', { reason: 'r', evidence: ABOUT })).incident.id];
    for (const id of ids) {
      await new PgRunStore(pool, new QueueIds(pool)).join(id, [{ namespace: 'default', queue: 'stamps', saturated: true }]);
      await say(id, assessed, { type: 'noted', by: 'jobwarden', reason: 'v2 is about to be refused', evidence: { intends: 'isolate', deadlineMs: Date.now() } });
      await revisions.set({ namespace: 'default', queue: 'stamps', revision: 'v2', reason: 'r', by: 'jobwarden', incidentId: id });
    }
    const readmit = (revision = 'v2') => as('all', 'POST', '/v1/revisions/readmit', { queue: 'stamps', revision, reason: 'it was the database' });
    expect(await readmit()).toMatchObject({ status: 409, body: { code: 'incident_open', incidentIds: ids } });
    await as('all', 'POST', `/v1/incidents/${ids[0] ?? ''}/resolve`, { reason: 'mended' });
    expect(await readmit()).toMatchObject({ status: 409, body: { code: 'incident_open', incidentIds: ids.slice(1) } });
    expect(await readmit('v1')).toMatchObject({ status: 409, body: { code: 'not_refused' } });
    await as('all', 'POST', `/v1/incidents/${ids[1] ?? ''}/resolve`, { reason: 'mended' });
    expect((await readmit()).status).toBe(200);
  });

  it('are aborted once', async () => {
    const { body } = await as('all', 'GET', '/v1/incidents?kind=saturation&status=open');
    const id = body.items.map((item) => String(item['incidentId'])).at(0) ?? '';
    expect(await as('all', 'POST', `/v1/incidents/${id}/abort`, { reason: 'we mend it' })).toMatchObject({ status: 200, body: { run: { phase: 'aborting' } } });
    expect(await as('all', 'POST', `/v1/incidents/${id}/abort`, { reason: 'again' })).toMatchObject({ status: 409, body: { code: 'aborted_already' } });
  });
});
