import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { useTestDatabase, waitUntil } from '#libs/testing';
import { asOwner, event, TestService } from './service.fixture.js';
import { EventReader } from './sse.fixture.js';

const KILL = `
SELECT count(pg_terminate_backend(pid))::int AS killed FROM pg_stat_activity
WHERE datname = current_database() AND pid <> pg_backend_pid() AND application_name LIKE 'jobwarden%'`;

/** F5: somebody ends all of its database sessions, again and again, under load. */
describe('ended database sessions', () => {
  const database = useTestDatabase();
  let service: TestService;

  beforeAll(async () => {
    service = await TestService.start(database.url, 'defaults: {actions: act, idempotent: true}');
  });
  afterAll(() => service.stop());

  it('lose no acknowledged event, and are replaced by themselves', async () => {
    const acknowledged = new Set<string>();
    const unanswered: string[] = [];
    let running = true;
    const emit = async (worker: number): Promise<void> => {
      for (let i = 0; running; i += 1) {
        const id = `k-${String(worker)}-${String(i)}`;
        const { status } = await service.call('POST', '/v1/events', { body: event('queued', id) });
        if (status === 200) acknowledged.add(id);
        else unanswered.push(String(status));
      }
    };
    const stream = await EventReader.open(`${service.url}/v1/streams/commands`);
    const emitters = Array.from({ length: 8 }, (_, i) => emit(i));
    let killed = 0;
    for (let round = 0; round < 10; round += 1) {
      const before = acknowledged.size;
      await waitUntil('events are acknowledged again', () => acknowledged.size > before + 20);
      const [row] = await asOwner(database.url, KILL);
      killed += Number(row?.['killed']);
    }
    const last = acknowledged.size;
    await waitUntil('events are acknowledged after the last', () => acknowledged.size > last + 20, {
      withinMs: 10_000,
    });
    running = false;
    await Promise.all(emitters);
    stream.close();
    expect(killed).toBeGreaterThan(10);
    expect(new Set(unanswered).size).toBeLessThanOrEqual(1);
    for (const status of unanswered) expect(status).toBe('503');
    const rows = await asOwner(database.url, `SELECT job_id FROM jobwarden.jobs WHERE status = 'queued'`);
    const stored = new Set(rows.map((row) => row['job_id']));
    expect([...acknowledged].filter((id) => !stored.has(id))).toEqual([]);
    await waitUntil('it is ready', async () => (await service.get('/readyz')).status === 200, { withinMs: 10_000 });
    expect((await service.call('POST', '/v1/reconciliations')).status).toBe(200);
  });
});
