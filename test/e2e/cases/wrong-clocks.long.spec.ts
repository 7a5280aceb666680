import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { createTestDatabase, sharedBrokers, shiftedClock, useTopicPrefix, waitUntil } from '#libs/testing';
import { asOwner, event, range, Shipped } from './shipped.js';
import { OverTopics, overHttp, topicSettings, type WayIn } from './ways-in.js';

const MINUTES_5 = 5 * 60_000;
const LEASE_MS = 2_000;
const POLICY = `
defaults: {lease: 2s, grace: 500ms, actions: act, idempotent: true, backoff: {initial: 1s, max: 1s}, blackout: {minWorkers: 100000}}
`;

/** The banner's example. */
const TRY = /try-(\d\d)(\d\d)\d\d/u;

/** Each worker has one job of each transport, and beats four times in a lease. */
const WORKERS = [
  { id: 'right', clockMs: 0 },
  { id: 'behind', clockMs: -MINUTES_5 },
  { id: 'ahead', clockMs: MINUTES_5 },
];

describe('wrong clocks', () => {
  const cleanUp: (() => Promise<unknown>)[] = [];
  const prefix = useTopicPrefix();

  afterEach(async () => {
    for (const step of cleanUp.splice(0).reverse()) await step();
  });

  it('G1: expire nothing early or late, of a replica 5 minutes ahead, one behind, or of a worker', async () => {
    const database = await createTestDatabase();
    cleanUp.push(() => database.drop());
    const topics = { brokers: sharedBrokers(), prefix };
    const start = async (env: Readonly<Record<string, string>>): Promise<Shipped> => {
      const service = await Shipped.start({ databaseUrl: database.url, policy: POLICY, env: { ...topicSettings(topics), ...env } });
      cleanUp.push(() => service.end());
      return service;
    };
    const right = await start({});
    const [ahead, behind] = [await start(shiftedClock(MINUTES_5)), await start(shiftedClock(-MINUTES_5))];
    const ways: Readonly<Record<string, WayIn>> = { http: overHttp(ahead), kafka: await OverTopics.open(topics) };
    for (const way of Object.values(ways)) cleanUp.push(() => way.close());
    // The shift is there: a replica names its example job by the time of its own clock.
    for (const [service, ms] of [[right, 0], [ahead, MINUTES_5], [behind, -MINUTES_5]] as const) {
      await waitUntil('it has said what to try', () => TRY.test(service.output));
      const [, hours, minutes] = TRY.exec(service.output) ?? [];
      const shown = Number(hours) * 60 + Number(minutes);
      const shouldBe = [0, 1].map((late) => Math.floor((Date.now() + ms) / 60_000 - late) % (24 * 60));
      expect(shouldBe).toContain(shown);
    }

    const tell = async (type: string, clockMs: number, worker: string): Promise<void> => {
      const time = new Date(Date.now() + clockMs).toISOString();
      const data = { attempt: 1, worker: { id: worker }, leaseMs: LEASE_MS };
      for (const [queue, way] of Object.entries(ways)) {
        await way.send([{ ...event(type, `${queue}-${worker}`, type === 'queued' ? { queue } : { queue, ...data }), time }]);
      }
    };
    const decided = async () =>
      await asOwner<{ job_id: string; reason: string }>(
        database.url,
        `SELECT j.job_id, e.data::json ->> 'reason' AS reason FROM jobwarden.events e JOIN jobwarden.jobs j USING (job_key)
         WHERE e.n IS NOT NULL ORDER BY e.lane_ms, e.number`,
      );
    for (const { id, clockMs } of WORKERS) {
      await tell('queued', clockMs, id);
      await tell('started', clockMs, id);
    }
    for (let beat = 0; beat < 10; beat += 1) {
      for (const { id, clockMs } of WORKERS) await tell('heartbeat', clockMs, id);
      await delay(LEASE_MS / 4);
    }
    expect(await decided()).toEqual([]);
    // Those who fall silent are found, by whichever replica, and not five minutes late.
    await waitUntil('all are put back', async () => (await decided()).length >= 12, { withinMs: 20_000 });
    expect((await decided()).map(({ job_id: id }) => id).sort()).toEqual(
      Object.keys(ways).flatMap((queue) => WORKERS.flatMap(({ id }) => range(2, () => `${queue}-${id}`))).sort(),
    );
  });
});
