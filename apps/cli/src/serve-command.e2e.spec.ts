import { afterEach, describe, expect, it } from 'vitest';
import { cliEntry, freePort, startProcess, useTestDatabase, type TestProcess } from '#libs/testing';
import { cli } from './cli.fixture.js';

describe('jobwarden serve', () => {
  const database = useTestDatabase();
  let serving: TestProcess | undefined;
  afterEach(async () => {
    await serving?.kill();
  });

  it.each(['SIGTERM', 'SIGINT'] as const)('serves until %s, and ends cleanly', async (signal) => {
    const port = String(await freePort());
    const ready = `http://127.0.0.1:${port}/readyz`;
    const env = { JOBWARDEN_DATABASE_URL: database.url, JOBWARDEN_HTTP_PORT: port };
    serving = startProcess({ entry: cliEntry, args: ['serve'], env });
    await serving.waitForOk(ready);
    expect(await serving.stop(signal)).toEqual({ code: 0, signal: null });
    await expect(fetch(ready)).rejects.toThrow();
  });

  it('ends as the service does where its settings are refused', async () => {
    const { code, stderr } = await cli(['serve'], { JOBWARDEN_HTTP_PORT: 'seven' });
    expect(code).toBe(2);
    expect(stderr).toContain('JOBWARDEN_HTTP_PORT');
  });
});
