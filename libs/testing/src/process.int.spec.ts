import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startProcess } from './index.js';

let folder: string;
let entry: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'jobwarden-process-'));
  entry = join(folder, 'program.mjs');
  writeFileSync(
    entry,
    `import { createServer } from 'node:http';
     const [mode] = process.argv.slice(2);
     if (mode === 'fails') { console.error('no luck'); process.exit(3); }
     if (mode === 'stubborn') process.on('SIGTERM', () => console.log('ignored'));
     const server = createServer((request, response) => response.writeHead(204).end());
     server.listen(0, '127.0.0.1', () => console.log('listening on ' + server.address().port + ', ' + process.env.COLOUR));`,
  );
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('a started process is awaited by its output and its answers, and stopped by a signal', async () => {
  const program = startProcess({ entry, env: { COLOUR: 'blue' } });
  const [, port] = await program.waitForOutput(/listening on (\d+), blue/);
  await program.waitForOk(`http://127.0.0.1:${port}/readyz`);
  expect(await program.stop()).toEqual({ code: null, signal: 'SIGTERM' });
  expect(await program.stop()).toEqual({ code: null, signal: 'SIGTERM' });
});

test('a process that ends while it is awaited fails the wait at once, with what it said', async () => {
  const program = startProcess({ entry, args: ['fails'] });
  await expect(program.waitForOutput(/listening/)).rejects.toThrow(/the process ended first[\s\S]*no luck/);
  expect(await program.exited).toEqual({ code: 3, signal: null });
});

test('a process that ignores a signal fails the stop after the deadline, and is gone then', async () => {
  const program = startProcess({ entry, args: ['stubborn'] });
  await program.waitForOutput(/listening/);
  await expect(program.stop('SIGTERM', 300)).rejects.toThrow(/Still running 300 ms after SIGTERM[\s\S]*ignored/);
  expect(await program.exited).toEqual({ code: null, signal: 'SIGKILL' });
});
