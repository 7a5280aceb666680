import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LANE_HTTP, windowOf, type LaneEvent } from '#libs/application';
import { assess } from '#libs/domain';
import { PgCauseWindows } from '#libs/postgres';
import { World, fixedPolicies, useTestDatabase } from '#libs/testing';
import { LAST_TEN, MINUTE, play, T0, type Play } from './play.js';
import { PLAYS } from './plays.js';

const NAMES = [
  'badRevision',
  'badAndSilent',
  'poisonJob',
  'lockContention',
  'connectionExhaustion',
  'downstreamOutage',
  'leak',
  'overload',
  'race',
] as const satisfies readonly (keyof typeof PLAYS)[];

/** Events go in as many at a time, in ms of their lane. */
const STEP_MS = 20_000;
/** More than five minutes before the window: less tells of no usual rate of arrivals. */
const BEGINS_MS = T0 + 4 * MINUTE;

describe('the window that is read from the database', () => {
  const place = useTestDatabase();
  const events = new Map<string, readonly LaneEvent[]>();
  let world: World;

  beforeAll(async () => {
    for (const name of NAMES) {
      const one: Play = PLAYS[name];
      const perMinute = one.perMinute ?? (() => 60);
      // Half of the work tells the same; and so does less of what went before.
      const some = play({ ...one, prefix: `${name}-`, workers: 3, beatMs: 13_000, perMinute: (at) => (name === 'poisonJob' ? 1 : 0.5) * perMinute(at) });
      events.set(name, some.filter((e) => e.laneMs >= BEGINS_MS));
    }
    const quiet = { blackout: { minWorkers: 10_000, share: 1, holdMaxMs: 1 }, leaseMs: 20_000, owner: 'queue', ownerWaitMs: 0 } as const;
    world = new World(place.url, fixedPolicies(quiet, 'observe'));
    await world.startClock(T0);
    for (let from = BEGINS_MS; from < LAST_TEN.toMs; from += STEP_MS) {
      await world.at(from + STEP_MS - 1);
      await Promise.all([...events.values()].map(async (all) => await send(all.filter((e) => e.laneMs >= from && e.laneMs < from + STEP_MS))));
      for (let looked = 1; looked > 0; ) ({ looked } = await world.run());
    }
  });
  const send = async (some: readonly LaneEvent[]): Promise<void> => {
    const options = { lane: LANE_HTTP, origin: 'test', namespaces: null, timesMs: some.map((e) => e.laneMs) };
    await world.ingestUseCase.ingest(some.map((e) => e.cloudEvent), options);
  };
  afterAll(async () => {
    await world.close();
  });

  it.each(NAMES)('leads to the same assessment as the same events in memory: %s', async (name) => {
    const own = events.get(name) ?? [];
    const queues = (PLAYS[name] as Play).queues ?? ['mail'];
    const read = await new PgCauseWindows(world.database).read(
      queues.map((queue) => ({ namespace: 'default', queue: `${name}-${queue}` })),
      LAST_TEN,
    );
    const [stored, inMemory] = [assess(read), assess(windowOf(own, LAST_TEN))];
    const told = ({ cause, subject, action, selfSustained }: typeof stored) => ({ cause, subject, action, selfSustained });
    expect(told(stored)).toEqual(told(inMemory));
    expect(stored.confidence).toBeCloseTo(inMemory.confidence, 0);
    expect(stored.cause).not.toBe('unknown');
  });

  it('says where a queue had more jobs that did not succeed than were read', async () => {
    const leftOut = async (names: readonly string[]) => {
      const queues = names.flatMap((name) => (PLAYS[name as keyof typeof PLAYS] as Play).queues?.map((q) => `${name}-${q}`) ?? [`${name}-mail`]);
      const read = await new PgCauseWindows(world.database).read(queues.map((queue) => ({ namespace: 'default', queue })), LAST_TEN);
      expect(read.attempts.length).toBeLessThan(1_000);
      return read.attemptsLeftOut;
    };
    expect(await leftOut(['poisonJob'])).toBe(false);
    expect(await leftOut(NAMES)).toBe(true);
  });
});
