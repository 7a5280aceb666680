import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Incidents } from '#libs/application';
import { Database, PgIncidentStore, QueueIds } from '#libs/postgres';
import { useTestDatabase } from '#libs/testing';
import { event, TestService } from './service.fixture.js';

describe('a blackout over REST', () => {
  const database = useTestDatabase();
  let service: TestService;
  let pool: Database;

  beforeAll(async () => {
    // Nobody reconciles: no evidence ends it meanwhile.
    service = await TestService.start(database.url, '', { JOBWARDEN_ROLES: 'api' });
    pool = new Database({ url: database.url, poolSize: 2, role: 'jobwarden_app' });
  });
  afterAll(async () => {
    await pool.close();
    await service.stop();
  });

  /** As a replica that has counted would leave it. */
  async function blackout(): Promise<void> {
    const evidence = { lostWorkers: 10, workers: 12, share: 0.833, lostJobs: 40, windowMs: 30_000, names: ['w1'] };
    await pool.query(
      `INSERT INTO jobwarden.queue_guards (queue_id, blackout_ms, evidence, incident_open)
       SELECT queue_id, jobwarden.lane_now(), $1, true FROM jobwarden.queues WHERE queue = 'mail'`,
      [JSON.stringify(evidence)],
    );
    const incidents = new Incidents(new PgIncidentStore(pool, new QueueIds(pool)));
    await incidents.open('blackout', { namespace: 'default', queue: 'mail' }, { reason: 'they fell silent', evidence });
  }

  it('shows in the queue, and is released by a person with a reason', async () => {
    await service.send(event('queued', 'a', { queue: 'mail' }));
    const release = (reason: string) => service.call('POST', '/v1/queues/mail/blackout/release', { body: { reason } });
    expect((await release('gone')).body).toMatchObject({ status: 409, code: 'no_blackout' });
    await blackout();
    const shown = await service.call('GET', '/v1/queues/mail');
    expect(shown.body).toMatchObject({ recovery: { heldBy: 'blackout', lostWorkers: 10, workers: 12, lostJobs: 40 } });
    const open = await service.call('GET', '/v1/incidents?status=open&kind=blackout');
    expect(open.body.items).toMatchObject([{ queue: 'mail', summary: 'they fell silent' }]);
    expect((await release('  ')).body).toMatchObject({ status: 400, code: 'reason_required' });
    const released = await release('the pool is gone');
    expect([released.status, released.body]).toMatchObject([200, { queue: 'mail', reason: 'the pool is gone' }]);
    expect((await service.call('GET', '/v1/queues/mail')).body).not.toHaveProperty('recovery');
    expect((await service.call('GET', '/v1/incidents?status=open&kind=blackout')).body.items).toEqual([]);
    expect((await release('again')).status).toBe(409);
  });
});
