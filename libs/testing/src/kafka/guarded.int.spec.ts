import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, expect, test } from 'vitest';
import { waitUntil } from '../poll.js';
import { startGuarded } from './guarded.js';

const started: ChildProcess[] = [];
afterEach(() => {
  for (const child of started.splice(0)) child.kill('SIGKILL');
});

/** A zombie, which nobody has asked for yet, is no longer running. */
function isRunning(pid: number): boolean {
  const { stdout } = spawnSync('ps', ['-o', 'stat=', '-p', String(pid)], { encoding: 'utf8' });
  return stdout.trim() !== '' && !stdout.startsWith('Z');
}

/** The processes in the session of a server: itself and its guard. */
function sessionOf(pid: number): number[] {
  const { stdout } = spawnSync('ps', ['-o', 'pid=', '-s', String(pid)], { encoding: 'utf8' });
  return stdout.split('\n').map(Number).filter((found) => found > 0 && isRunning(found));
}

/** Another process, Node itself on the source, that starts a server as `server` and then does something. */
function processThat(does: string) {
  const program = `
    const { startGuarded } = await import(${JSON.stringify(join(import.meta.dirname, 'guarded.ts'))});
    const server = startGuarded(['sleep', '600'], () => {});
    ${does}`;
  const owner = spawn(process.execPath, ['--input-type=module', '-e', program], { stdio: ['ignore', 'pipe', 'inherit'] });
  started.push(owner);
  return owner;
}

async function processWithServer(): Promise<{ owner: ChildProcess; server: number }> {
  const owner = processThat('console.log(server.pid); setInterval(() => {}, 60_000);');
  const [line] = (await once(createInterface({ input: owner.stdout }), 'line')) as [string];
  await waitUntil('the server and its guard run', () => sessionOf(Number(line)).length === 2);
  return { owner, server: Number(line) };
}

test.each(['SIGKILL', 'SIGTERM'] as const)('a server ends when its owner ends by %s', async (signal) => {
  const { owner, server } = await processWithServer();
  owner.kill(signal);
  await waitUntil('the server and its guard are gone', () => sessionOf(server).length === 0);
});

test('a server that is paused ends with its owner, too', async () => {
  const { owner, server } = await processWithServer();
  process.kill(server, 'SIGSTOP');
  owner.kill('SIGKILL');
  await waitUntil('the server and its guard are gone', () => sessionOf(server).length === 0);
});

test('the guard leaves when the server has ended by itself', async () => {
  const server = startGuarded(['sh', '-c', 'echo done; exit 3'], () => undefined);
  expect(await server.exited).toEqual({ code: 3, signal: null });
  await waitUntil('the guard is gone', () => sessionOf(server.pid).length === 0);
});

test('whoever ends a server lives to see it', async () => {
  const owner = processThat(`await server.end('SIGKILL'); console.log('ended');`);
  const lines: string[] = [];
  createInterface({ input: owner.stdout }).on('line', (line) => lines.push(line));
  await once(owner, 'close');
  expect(lines).toEqual(['ended']);
});

test('and whoever forgets it is not kept alive', async () => {
  const owner = processThat('console.log(server.pid);');
  const [code] = (await once(owner, 'close')) as [number];
  expect(code).toBe(0);
});
