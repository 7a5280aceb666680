import { randomBytes } from 'node:crypto';
import { appendFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEmbeddedPostgres } from '#libs/embedded-postgres';
import { freePort, kafkaLeftOut, kafkaMissing, startBroker, startProcess, startRedis, type TestProcess } from '#libs/testing';

/** What stands beside the newcomer: the service that he has installed, and the servers of his queues. */
export interface Neighbours {
  /** For the examples. */
  readonly env: Readonly<Record<string, string>>;
  /** Packages whose example cannot be run on this machine, with what is missing. */
  readonly leftOut: Readonly<Record<string, string>>;
  /** Adds to the policy file that the first start wrote, and waits until it is in force. Once. */
  addToPolicy(text: string): Promise<void>;
  stop(): Promise<void>;
}

/** Starts the service from its tarball, installed in `folder`, on its embedded database; a Kafka only where it is wanted. */
export async function startNeighbours(folder: string, { kafka }: { readonly kafka: boolean }): Promise<Neighbours> {
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
    const missing = kafka && kafkaLeftOut() ? kafkaMissing() : null;
    const broker = kafka && missing === null ? await startBroker() : null;
    stops.push(async () => broker?.stop());
    const shared = { WORKERS_WEBHOOK_SECRET: `whsec_${randomBytes(32).toString('base64')}` };
    const service = await serve(folder, shared);
    stops.push(() => service.process.stop());
    return {
      env: { ...shared, JOBWARDEN_URL: service.url, REDIS_URL: redis.url, DATABASE_URL: postgres.adminUrl, ...(broker !== null && { KAFKA_BROKERS: broker.brokers }) },
      leftOut: missing === null ? {} : { kafka: missing },
      addToPolicy: async (text) => {
        appendFileSync(join(folder, '.jobwarden/policy.yaml'), `\n${text}`);
        await service.process.waitForOutput(/the policy changed/u, 20_000);
      },
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
