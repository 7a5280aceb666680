import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  freePort,
  kafkaClient,
  sharedBrokers,
  startServerProcess,
  waitUntil,
  type TestProcess,
} from '#libs/testing';
import { asOwner, event } from '../service.fixture.js';
import { QUICK_POLICY, useKafkaWorld } from './kafka-service.fixture.js';

const JOBS = 750;
const IN_ONE_REQUEST = 25;

/** A whole process: what is tested is its end. */
describe('the end of the shipped process', () => {
  const world = useKafkaWorld();
  const running: TestProcess[] = [];
  let folder = '';
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'jobwarden-shutdown-'));
    writeFileSync(join(folder, 'policy.yaml'), QUICK_POLICY);
  });
  afterAll(async () => {
    await Promise.all(running.map((one) => one.kill()));
    rmSync(folder, { recursive: true, force: true });
  });

  const start = async (): Promise<TestProcess> => {
    const port = String(await freePort());
    const service = await startServerProcess({
      readyUrl: `http://127.0.0.1:${port}/readyz`,
      env: {
        JOBWARDEN_HTTP_PORT: port,
        JOBWARDEN_DATABASE_URL: world.database.url,
        JOBWARDEN_CONFIG: join(folder, 'policy.yaml'),
        JOBWARDEN_KAFKA_BROKERS: sharedBrokers(),
        JOBWARDEN_TOPIC_PREFIX: world.prefix,
        JOBWARDEN_KAFKA_PARTITIONS: '2',
      },
    });
    running.push(service);
    return service;
  };
  const stored = async (): Promise<number> => {
    const [row] = await asOwner(world.database.url, `SELECT count(*)::int AS n FROM jobwarden.jobs WHERE status = 'succeeded'`);
    return Number(row?.['n']);
  };

  it('under load stores what it has taken and where it stands, and loses nothing (D5)', async () => {
    const first = await start();
    await waitUntil('partitions are read', async () => {
      const rows = await asOwner(world.database.url, 'SELECT FROM jobwarden.lanes WHERE lane >= 2 AND read_ms > 0');
      return rows.length === 2;
    });
    // It has made the topics: nobody is to be told to make them.
    expect(first.output()).toContain('topics were made');
    for (const word of ['there is no topic', 'UNKNOWN_TOPIC']) expect(first.output()).not.toContain(word);
    let ended: ReturnType<TestProcess['stop']> | null = null;
    for (let job = 0; job < JOBS; job += IN_ONE_REQUEST) {
      const jobs = Array.from({ length: IN_ONE_REQUEST }, (_, i) => `job-${String(job + i)}`);
      const invalidates = (id: string) => ({ invalidates: { keys: [id], tags: [] } });
      await world.produce(jobs.flatMap((id) => [event('queued', id), event('succeeded', id, invalidates(id))]), {
        partition: (job / IN_ONE_REQUEST) % 2,
      });
      // In the middle of it: some are stored, some lie in the topic, more come while it ends.
      if (ended === null && job > JOBS / 3 && (await stored()) > 0) ended = first.stop('SIGTERM', 20_000);
    }
    expect(await (ended ?? first.stop())).toEqual({ code: 0, signal: null });
    for (const word of ['uncaught', 'could not be stopped', 'takes too long']) expect(first.output()).not.toContain(word);

    // What the group shows is what the database has.
    const admin = kafkaClient(sharedBrokers()).admin();
    await admin.connect();
    const topic = `${world.prefix}events`;
    const [group] = await admin.fetchOffsets({ groupId: `${world.prefix}ingest`, topics: [topic] });
    await admin.disconnect();
    const lanes = await asOwner(world.database.url, 'SELECT name, next::int AS next FROM jobwarden.lanes WHERE lane >= 2 ORDER BY name');
    const shown = group?.partitions.map(({ partition, offset }) => ({ name: `kafka/${topic}/${String(partition)}`, next: Number(offset) }));
    expect(shown?.sort((a, b) => a.name.localeCompare(b.name))).toEqual(lanes);

    await start();
    await waitUntil('everything is stored', async () => (await stored()) === JOBS);
    const [log] = await asOwner(world.database.url, 'SELECT count(*)::int AS n FROM jobwarden.events');
    expect(log?.['n']).toBe(2 * JOBS);
    await waitUntil('every invalidation is on its topic', async () => {
      return new Set((await world.read('invalidations')).map(({ data }) => String(data['jobId']))).size === JOBS;
    });
  });
});
