import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { lockDataDir } from './data-dir-lock.js';

const onLinux = process.platform === 'linux';

/** Listens where a holder of the folder would. */
async function holder(dataDir: string, onConnection: (server: Server) => void): Promise<Server> {
  const name = `jobwarden-${createHash('sha256').update(dataDir).digest('hex').slice(0, 32)}`;
  const server = createServer((client) => {
    client.on('error', () => undefined);
    client.destroy();
    onConnection(server);
  });
  await new Promise<void>((resolve) => server.listen(`\0${name}`, resolve));
  return server;
}

describe.runIf(onLinux)('the lock of a data folder', () => {
  let dataDir: string;
  beforeEach(() => {
    dataDir = mkdtempSync(join(tmpdir(), 'jobwarden-lock-'));
  });
  afterEach(() => rmSync(dataDir, { recursive: true, force: true }));

  it('is taken from a process that was killed once the last of its threads has ended', async () => {
    let asked = 0;
    await holder(dataDir, (server) => {
      asked += 1;
      if (asked === 3) server.close();
    });
    const lock = await lockDataDir(dataDir);
    expect(asked).toBe(3);
    lock.release();
  });

  it('is refused where its holder drops who asks, and stays', async () => {
    const server = await holder(dataDir, () => undefined);
    await expect(lockDataDir(dataDir)).rejects.toMatchObject({ name: 'DataDirInUseError' });
    await new Promise((resolve) => server.close(resolve));
  });
});
