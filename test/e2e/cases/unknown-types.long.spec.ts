import { afterEach, describe, expect, it } from 'vitest';
import { createTestDatabase, sharedBrokers, useTopicPrefix, waitUntil } from '#libs/testing';
import { asOwner, eachOf, event, manualClock, range, Shipped, type CloudEvent } from './shipped.js';
import { OverTopics, overHttp, topicSettings, type WayIn } from './ways-in.js';

const T0 = Date.UTC(2031, 0, 1);
const LEASE_MS = 30_000;
/** Without a blackout guard, which would hold the verdicts too. */
const POLICY = `
defaults: {lease: 30s, grace: 5s, actions: act, idempotent: true, blackout: {minWorkers: 100000}}
`;

/** Each its own heartbeat, but for the last: they stand in one heartbeat of their worker. */
const JOBS = range(1_000, (i) => `j${String(i)}`);
const LISTED = range(100, (i) => `listed${String(i)}`);
const ALL = [...JOBS, ...LISTED];
const DEAD = ['j0', 'j1', 'j500', 'j998', 'j999', 'listed0', 'listed99'];

const workerOf = (id: string) => ({ worker: { id: id.startsWith('listed') ? 'w-list' : `w${String(Number(id.slice(1)) % 20)}` } });

/** What workers of a later version say while their jobs run. */
function unknownSigns(): CloudEvent[] {
  const beats = JOBS.map((id, i) => {
    const type = i < 900 ? 'jobwarden.job.heartbeat.v2' : 'jobwarden.job.checkpoint-written.v1';
    return event(type, id, { attempt: 1, ...workerOf(id), renew: { untilNext: true } });
  });
  const jobs = LISTED.map((id) => ({ queue: 'q', id, attempt: 1 }));
  return [...beats, event('jobwarden.worker.heartbeat.v2', 'w-list', { ...workerOf('listed'), jobs })];
}

interface Run {
  readonly looked: number;
  readonly decided: number;
  readonly held: number;
  readonly rows: readonly { readonly id: string; readonly outcome: string; readonly heldBy?: string; readonly decisions: readonly string[] }[];
}

describe('heartbeats of a type that this version does not know', () => {
  const cleanUp: (() => Promise<unknown>)[] = [];
  const prefix = useTopicPrefix();

  afterEach(async () => {
    for (const step of cleanUp.splice(0).reverse()) await step();
  });

  async function start(transport: 'http' | 'kafka'): Promise<{ service: Shipped; way: WayIn; url: string }> {
    const database = await createTestDatabase();
    cleanUp.push(() => database.drop());
    await manualClock(database.url, T0);
    const topics = { brokers: sharedBrokers(), prefix };
    const env = transport === 'kafka' ? topicSettings(topics) : {};
    const service = await Shipped.start({ databaseUrl: database.url, policy: POLICY, env });
    cleanUp.push(() => service.end());
    const way = transport === 'kafka' ? await OverTopics.open(topics) : overHttp(service);
    cleanUp.push(() => way.close());
    return { service, way, url: database.url };
  }

  it.each(['http', 'kafka'] as const)('are kept and hold the verdicts on the jobs that they name, over %s: 0 requeues', async (transport) => {
    const { service, way, url } = await start(transport);
    const clock = async (afterMs: number): Promise<void> => {
      await waitUntil('the clock is moved', async () => {
        const { status, body } = await service.call('PUT', '/v1/clock', { now: new Date(T0 + afterMs).toISOString() });
        if (status !== 200 && body['code'] !== 'lanes_behind') throw new Error(JSON.stringify(body));
        return status === 200;
      });
    };
    /** Looks until there is nothing left to look at. */
    const look = async (): Promise<Run['rows']> => {
      const rows: Run['rows'][number][] = [];
      for (;;) {
        const { body } = await service.call<Run>('POST', '/v1/reconciliations', {});
        if (body.looked === 0) return rows;
        rows.push(...body.rows);
      }
    };
    const decisions = async () => await asOwner<{ type: number }>(url, 'SELECT type FROM jobwarden.events WHERE n IS NOT NULL');

    await look();
    await way.send(ALL.flatMap((id) => [event('queued', id), event('started', id, { attempt: 1, ...workerOf(id), leaseMs: LEASE_MS })]));
    await clock(LEASE_MS - 10_000);
    await way.send(unknownSigns());
    await clock(20 * LEASE_MS);
    const held = await look();
    expect(held.filter(({ outcome, heldBy }) => outcome !== 'held' || heldBy !== 'quarantine')).toEqual([]);
    expect(held.map(({ id }) => id).sort()).toEqual([...ALL].sort());
    expect(await decisions()).toEqual([]);

    const kept = await service.all<{ entryId: string; reason: string; body: string }>('/v1/quarantine?state=open');
    expect(kept.map(({ reason }) => reason)).toEqual(range(1_001, () => 'unknown_type'));
    expect(kept.filter(({ body }) => body.includes('untilNext')).length).toBe(1_000);
    // What is still unknown stays open, and goes on holding.
    const [first] = kept;
    const replay = await service.call('POST', `/v1/quarantine/${first?.entryId ?? ''}/replay`, { reason: 'try' });
    expect(replay).toMatchObject({ status: 409, body: { code: 'still_quarantined' } });

    // The workers are put back to the version before; a few of them have died meanwhile.
    const living = ALL.filter((id) => !DEAD.includes(id));
    await way.send(living.map((id) => event('heartbeat', id, { attempt: 1, ...workerOf(id), leaseMs: LEASE_MS })));
    await clock(20 * LEASE_MS + 10_000);
    expect((await look()).map(({ id }) => id).sort()).toEqual([...DEAD].sort());
    expect(await decisions()).toEqual([]);
    await eachOf(kept, async ({ entryId }) => {
      const { status } = await service.call('POST', `/v1/quarantine/${entryId}/dismiss`, { reason: 'they were put back' });
      expect(status).toBe(200);
    });
    await clock(20 * LEASE_MS + 11_000);
    const found = await look();
    expect(found.map(({ id, decisions: made }) => `${id} ${made.join()}`).sort()).toEqual(DEAD.map((id) => `${id} restart-requested`).sort());
    await clock(20 * LEASE_MS + 16_000);
    expect((await look()).map(({ decisions: made }) => made.join())).toEqual(DEAD.map(() => 'requeued'));
    await waitUntil('the commands are out', () => way.commands.filter(({ type }) => type.includes('enqueue')).length >= DEAD.length);
    const enqueued = way.commands.filter(({ type }) => type.includes('enqueue')).map(({ subject, data }) => `${subject}@${String(data.attempt)}`);
    expect(enqueued.sort()).toEqual(DEAD.map((id) => `${id}@2`).sort());
  });
});
