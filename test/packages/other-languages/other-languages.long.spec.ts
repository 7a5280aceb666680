// The examples of examples/other-languages, run as they stand against the shipped service and a real broker.
import { execFile, execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { kafkaLeftOut, sharedBrokers, useTestDatabase, useTopicPrefix, waitUntil } from '#libs/testing';
import { Shipped } from '../../e2e/cases/shipped.js';

const EXAMPLES = join(import.meta.dirname, '../../../examples/other-languages');
const run = promisify(execFile);

/** With CI=true nothing may be left out. */
function missing(program: string, argument: string, packages: string): boolean {
  if (process.env['CI'] === 'true' || spawnSync(program, [argument], { stdio: 'ignore' }).status === 0) return false;
  process.stderr.write(`The examples with ${program} are left out: it is missing. Debian: apt-get install ${packages}\n`);
  return true;
}

describe.skipIf(kafkaLeftOut())('other languages need no library', () => {
  const database = useTestDatabase();
  const prefix = useTopicPrefix();
  let service: Shipped;
  let folder: string;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'jobwarden-languages-'));
    const env = { JOBWARDEN_KAFKA_BROKERS: sharedBrokers(), JOBWARDEN_TOPIC_PREFIX: prefix };
    service = await Shipped.start({ databaseUrl: database.url, policy: 'defaults: {actions: observe}\n', env });
  });
  afterAll(async () => {
    await service.end();
    rmSync(folder, { recursive: true, force: true });
  });

  const env = () => ({ ...process.env, JOBWARDEN_URL: service.url, KAFKA_BROKERS: sharedBrokers(), TOPIC_PREFIX: prefix });
  async function example(program: string, file: string, job: string): Promise<string> {
    const { stdout } = await run(program, [join(EXAMPLES, file), 'languages', job], { env: env(), timeout: 60_000 });
    return stdout;
  }
  const succeeds = (job: string) =>
    waitUntil(`${job} has succeeded`, async () => (await service.call<{ status: string }>('GET', `/v1/queues/languages/jobs/${job}`)).body.status === 'succeeded', { withinMs: 30_000 });

  it('curl: a worker', async () => {
    expect(await example('bash', 'worker.sh', 'curl')).toContain('"status":"succeeded"');
  });

  it.skipIf(missing('kcat', '-V', 'kcat'))('kcat: a producer, structured and binary', async () => {
    expect(await example('bash', 'producer.sh', 'kcat')).toContain('kcat is told');
    await succeeds('kcat');
  });

  describe.skipIf(missing('python3', '--version', 'python3-venv'))('Python', () => {
    let python: string;
    beforeAll(() => {
      execFileSync('python3', ['-m', 'venv', folder], { stdio: 'inherit' });
      python = join(folder, 'bin/python');
      execFileSync(python, ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', 'cloudevents==2.2.0', 'kafka-python==3.0.12'], { stdio: 'inherit' });
    }, 120_000);

    it('with the package cloudevents over HTTP, structured and binary', async () => {
      const told = await example(python, 'over_http.py', 'python-http');
      expect(told.split('\n').map((line) => line.trim())).toEqual(['queued appended', 'started appended go-on', 'heartbeat recorded go-on', 'succeeded appended', '']);
      await succeeds('python-http');
    });

    it('with the package cloudevents over Kafka, structured and binary', async () => {
      expect(await example(python, 'over_kafka.py', 'python-kafka')).toContain('succeeded acknowledged');
      await succeeds('python-kafka');
      const { body } = await service.call<{ attempts: readonly { workers: readonly { id: string }[] }[] }>('GET', '/v1/queues/languages/jobs/python-kafka');
      expect(body.attempts[0]?.workers).toEqual([{ id: 'python-1' }]);
      expect((await service.call<{ items: unknown[] }>('GET', '/v1/quarantine')).body.items).toEqual([]);
    });
  });
});
