import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { serverEntry, startProcess, useTestDatabase, waitUntil, type TestProcess } from '#libs/testing';

describe('the shipped process', () => {
  const database = useTestDatabase();
  let folder = '';
  let running: TestProcess | null = null;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'jobwarden-process-'));
  });
  afterEach(async () => {
    await running?.kill();
    running = null;
    rmSync(folder, { recursive: true, force: true });
  });

  const start = (env: Readonly<Record<string, string>> = {}): TestProcess => {
    running = startProcess({
      entry: serverEntry,
      env: {
        JOBWARDEN_DATABASE_URL: database.url,
        JOBWARDEN_HTTP_PORT: '0',
        JOBWARDEN_DATA_DIR: join(folder, 'data'),
        ...env,
      },
    });
    return running;
  };
  const urlOf = async (service: TestProcess): Promise<string> => {
    const [, url = ''] = await service.waitForOutput(/Jobs\s+(http:\/\/\S+)\/v1\/jobs/);
    return url;
  };

  it('says where to look and what to try, and what it says works', async () => {
    const service = start();
    const url = await urlOf(service);
    expect(service.output()).toContain('curl');
    for (const path of ['/v1/jobs', '/v1/queues', '/openapi.json', '/metrics', '/readyz']) {
      expect((await fetch(`${url}${path}`)).status, path).toBe(200);
    }
    const example = /-d '(\[[^']*\])'/.exec(service.output())?.[1] ?? '';
    const sent = await fetch(`${url}/v1/events`, {
      method: 'POST',
      body: example,
      headers: { 'content-type': 'application/json' },
    });
    expect(await sent.json()).toMatchObject({ results: [{ outcome: 'appended' }, { outcome: 'appended' }] });
    const [, jobId = ''] = /"subject": "([^"]+)"/.exec(example) ?? [];
    expect((await fetch(`${url}/v1/queues/playground/jobs/${jobId}`)).status).toBe(200);
    expect((await fetch(`${url}/v1/reconciliations?queue=playground`)).status).toBe(200);
  });

  it.each(['SIGTERM', 'SIGINT'] as const)(
    'ends cleanly on %s, although somebody listens to a stream',
    async (signal) => {
      const service = start();
      const url = await urlOf(service);
      const stream = await fetch(`${url}/v1/streams/commands`);
      expect(stream.status).toBe(200);
      const startedMs = performance.now();
      const exit = await service.stop(signal, 10_000);
      expect(exit).toEqual({ code: 0, signal: null });
      expect(performance.now() - startedMs).toBeLessThan(5_000);
      await stream.body?.cancel().catch(() => undefined);
    },
  );

  it('says in words that its data folder cannot be used', async () => {
    const file = join(folder, 'file');
    writeFileSync(file, '');
    running = startProcess({ entry: serverEntry, env: { JOBWARDEN_HTTP_PORT: '0', JOBWARDEN_DATA_DIR: file } });
    expect(await running.exited).toMatchObject({ code: 1 });
    expect(running.output()).toContain(`The data folder ${file} cannot be used`);
    expect(running.output()).not.toContain(' at ');
  });

  it('brings its own PostgreSQL where none is named, and takes it down again', async () => {
    const service = start({ JOBWARDEN_DATABASE_URL: '', JOBWARDEN_HTTP_PORT: '0' });
    const refused = await service.exited;
    expect(refused.code).toBe(2);
    expect(service.output()).toContain('JOBWARDEN_DATABASE_URL');
    running = startProcess({
      entry: serverEntry,
      env: { JOBWARDEN_HTTP_PORT: '0', JOBWARDEN_DATA_DIR: join(folder, 'data') },
    });
    const url = await urlOf(running);
    expect((await fetch(`${url}/v1/queues`)).status).toBe(200);
    expect(running.output()).toContain('the job comes back');
    expect(await running.stop('SIGTERM', 20_000)).toEqual({ code: 0, signal: null });
  });

  it('lists every fault of the configuration, and starts nothing', async () => {
    const config = join(folder, 'policy.yaml');
    writeFileSync(config, 'defaults: {leese: 10s, grace: soon}\nqueues: {emails: {actions: act}}\n');
    const service = start({ JOBWARDEN_CONFIG: config });
    expect((await service.exited).code).toBe(2);
    for (const told of ['3 things', 'did you mean "lease"', 'grace', 'act on'])
      expect(service.output()).toContain(told);
    const env = start({ JOBWARDEN_HTTP_PROT: '1', JOBWARDEN_ROLES: 'wrok' });
    expect((await env.exited).code).toBe(2);
    expect(env.output()).toContain('did you mean JOBWARDEN_HTTP_PORT');
    expect(env.output()).toContain('did you mean "work"');
  });

  it('refuses to be reached by others without tokens', async () => {
    const service = start({ JOBWARDEN_HTTP_HOST: '0.0.0.0' });
    expect((await service.exited).code).toBe(2);
    expect(service.output()).toContain('tokens');
  });

  it('says so when the port is taken', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await waitUntil('listening', () => other.listening);
    const { port } = other.address() as AddressInfo;
    const service = start({ JOBWARDEN_HTTP_PORT: String(port) });
    expect((await service.exited).code).toBe(1);
    expect(service.output()).toContain(`Port ${String(port)} of 127.0.0.1 is taken`);
    other.close();
  });
});
