// An Alertmanager of the tests: Debian's, which npm cannot bring.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from './free-port.js';
import { isContinuousBuild } from './kafka/missing.js';
import { waitUntil } from './poll.js';
import { startProgram } from './server-program.js';

/** Debian's name for it; elsewhere it is `alertmanager`. */
const PROGRAM = 'prometheus-alertmanager';
const MISSING = 'The tests with Alertmanager are left out: it is missing. Debian: apt-get install prometheus-alertmanager';

/** For `describe.skipIf`; with CI=true nothing may be left out, and the tests fail. */
export function alertmanagerLeftOut(): boolean {
  if (spawnSync(PROGRAM, ['--version'], { stdio: 'ignore' }).status === 0) return false;
  if (!isContinuousBuild()) process.stderr.write(`${MISSING}\n`);
  return !isContinuousBuild();
}

export interface Alertmanager {
  /** `host:port`. */
  readonly address: string;
  /** All that it has said. */
  said(): string;
  stop(): Promise<void>;
}

/** One by itself, with this configuration. The caller stops it, also when its test fails. */
export async function startAlertmanager(config: string): Promise<Alertmanager> {
  const folder = mkdtempSync(join(tmpdir(), 'jobwarden-alertmanager-'));
  const file = join(folder, 'alertmanager.yaml');
  writeFileSync(file, config);
  const address = `127.0.0.1:${String(await freePort())}`;
  const args = [`--config.file=${file}`, `--storage.path=${join(folder, 'data')}`, `--web.listen-address=${address}`, '--cluster.listen-address='];
  const server = startProgram(PROGRAM, args, { folder });
  const ready = async () => (await fetch(`http://${address}/-/ready`).catch(() => null))?.ok ?? false;
  try {
    await waitUntil('Alertmanager is ready', async () => server.hasEnded || (await ready()), { withinMs: 20_000 });
    if (server.hasEnded) throw new Error('it ended');
  } catch (error) {
    await server.stop();
    throw new Error(`Alertmanager does not answer; it said:\n${server.said() === '' ? MISSING : server.said()}`, { cause: error });
  }
  return { address, said: () => server.said(), stop: () => server.stop() };
}
