import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEmbeddedPostgres } from '#libs/embedded-postgres';
import { freePort, kafkaMissing, startBroker, startProcess, startRedis, type TestProcess } from '#libs/testing';

/** What stands beside the newcomer: the service that he has installed, and the servers of his queues. */
export interface Neighbours {
  /** For the examples. */
  readonly env: Readonly<Record<string, string>>;
  readonly leftOut: readonly string[];
  stop(): Promise<void>;
}

/** Starts the service from its tarball, installed in `folder`, on its embedded database. */
export async function startNeighbours(folder: string): Promise<Neighbours> {
  const stops: (() => Promise<unknown>)[] = [];
  const stop = async () => {
    for (const end of stops.toReversed()) await end();
  };
  try {
    const redis = await startRedis();
    stops.push(() => redis.stop());
    const data = mkdtempSync(join(tmpdir(), 'jobwarden-packed-'));
    const postgres = await startEmbeddedPostgres({ dataDir: join(data, 'data'), fast: true });
    stops.push(async () => {
      await postgres.stop();
      rmSync(data, { recursive: true, force: true });
    });
    const missing = kafkaMissing();
    const broker = missing === null ? await startBroker() : null;
    if (broker !== null) stops.push(() => broker.stop());
    const kafka: Record<string, string> = broker === null ? {} : { KAFKA_BROKERS: broker.brokers };
    const service = await serve(folder, broker === null ? {} : { JOBWARDEN_KAFKA_BROKERS: broker.brokers });
    stops.push(() => service.process.stop());
    return {
      env: { JOBWARDEN_URL: service.url, REDIS_URL: redis.url, DATABASE_URL: postgres.adminUrl, ...kafka },
      leftOut: missing === null ? [] : [missing],
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function serve(folder: string, env: Readonly<Record<string, string>>): Promise<{ readonly url: string; readonly process: TestProcess }> {
  const port = String(await freePort());
  const url = `http://127.0.0.1:${port}`;
  const entry = join(folder, 'node_modules/jobwarden/dist/apps/cli/src/main.js');
  const service = startProcess({ entry, args: ['serve'], cwd: folder, env: { ...env, JOBWARDEN_HTTP_PORT: port } });
  try {
    await service.waitForOk(`${url}/readyz`, 60_000);
    return { url, process: service };
  } catch (error) {
    await service.kill();
    throw error;
  }
}
