// The image's folder by the image's command, as process 1, on a read-only root, as a user that is nobody, against a real PostgreSQL.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { freePort, useTestDatabase, waitUntil } from '#libs/testing';
import { repository } from '../repository.js';
import { run } from '../run.js';
import { containersLeftOut, startContainer, type Container, type ContainerOptions } from './container.js';
import { readBuild, type ImageConfig } from './dockerfile.js';

const database = useTestDatabase({ empty: true });
// Made as docker-compose.yml says, and readable by whom the image runs as.
const folder = mkdtempSync(join(tmpdir(), 'jobwarden-compose-'));
const secrets = join(folder, 'deploy/compose/secrets');
const containers: Container[] = [];
let collector: Server | null = null;
let config: ImageConfig;

async function start(options: Partial<ContainerOptions>): Promise<Container> {
  const container = await startContainer({ app: inject('assembledApp'), config, ...options });
  containers.push(container);
  return container;
}

/** Runs it to its end. */
async function ran(command: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<{ code: number | null; output: string }> {
  const container = await start({ command, env });
  const code = await container.ended;
  return { code, output: container.output() };
}

beforeAll(async () => {
  expect((await run('sh', [join(repository, 'deploy/compose/init.sh'), folder])).code).toBe(0);
  ({ config } = await readBuild());
});
afterAll(async () => {
  for (const container of containers) await container.kill();
  collector?.closeAllConnections();
  collector?.close();
  rmSync(folder, { recursive: true, force: true });
});

describe.skipIf(containersLeftOut())('the image', () => {
  it('serves, is healthy, takes an event, sends traces, and ends with 0 on SIGTERM', async () => {
    const traced: string[] = [];
    const receiver = (collector = createServer((request, response) => {
      traced.push(request.url ?? '');
      request.resume().on('end', () => response.end());
    }));
    await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
    const port = String(await freePort());
    const service = await start({
      env: {
        JOBWARDEN_DATABASE_URL: database.url,
        JOBWARDEN_CONFIG: '/etc/jobwarden/policy.yaml',
        JOBWARDEN_HTTP_PORT: port,
        OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${String((receiver.address() as AddressInfo).port)}`,
      },
      mounts: { '/etc/jobwarden': join(secrets, 'policy') },
    });
    const url = `http://127.0.0.1:${port}`;
    const ready = () => fetch(`${url}/readyz`).then((answer) => answer.ok, () => false);
    await waitUntil('the service is ready', async () => service.hasEnded() || (await ready()), { withinMs: 100_000 });
    expect(service.hasEnded() ? service.output() : '').toBe('');

    // Nobody, with no right of root's, and no way to get one.
    expect(service.status('Uid')).toBe('10001\t10001\t10001\t10001');
    expect([service.status('CapEff'), service.status('NoNewPrivs'), service.status('NSpid').split('\t').at(-1)]).toEqual(['0000000000000000', '1', '1']);

    const [, ...health] = config.Healthcheck.Test;
    expect(await ran(health, { JOBWARDEN_HTTP_PORT: port })).toEqual({ code: 0, output: '' });

    const event = { specversion: '1.0', id: '1', source: 'shop', subject: 'j1', type: 'jobwarden.job.queued.v1', data: { queue: 'emails' } };
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${readFileSync(join(secrets, 'admin-token'), 'utf8')}` };
    const sent = await fetch(`${url}/v1/events`, { method: 'POST', headers, body: JSON.stringify(event) });
    expect(await sent.json()).toMatchObject({ results: [{ outcome: 'appended' }] });
    expect((await fetch(`${url}/v1/events`, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(event) })).status).toBe(401);

    const page = await fetch(`${url}/`);
    expect([page.status, page.headers.get('content-type')]).toEqual([200, expect.stringContaining('text/html')]);

    service.send('SIGTERM');
    expect([await service.ended, service.output()]).toEqual([0, expect.stringContaining('"ended"')]);
    expect(traced).toContain('/v1/traces');
    expect((await ran(health, { JOBWARDEN_HTTP_PORT: port })).code).toBe(1);
  });

  it('has the command line', async () => {
    const migrated = await ran(['jobwarden', 'migrate'], { JOBWARDEN_DATABASE_URL: database.url });
    expect(migrated).toMatchObject({ code: 0 });
    expect((await ran(['jobwarden', 'migrat'])).code).toBe(2);
  });

  it('has every package that it names', async () => {
    const script = "import {readFileSync} from 'node:fs'; for (const name of Object.keys(JSON.parse(readFileSync('package.json', 'utf8')).dependencies)) await import(name);";
    expect(await ran(['node', '--input-type=module', '-e', script])).toEqual({ code: 0, output: '' });
  });

  it('refuses to listen to others without tokens, and to run without a database', async () => {
    const { code, output } = await ran([...config.Cmd]);
    expect(code).toBe(2);
    expect(output).toContain('JOBWARDEN_DATABASE_URL');
    const open = await ran([...config.Cmd], { JOBWARDEN_DATABASE_URL: database.url });
    expect(open.code).toBe(2);
    expect(open.output).toContain('the policy file has no tokens');
  });

  it.each(['/app/x', '/tmp/x', '/x'])('cannot write %s: these tests would see it if it tried', async (file) => {
    const { code, output } = await ran(['node', '-e', `require('node:fs').writeFileSync('${file}', '')`]);
    expect([code, output]).toEqual([1, expect.stringMatching(/EROFS/u)]);
  });
});
