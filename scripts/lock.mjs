// One install or build at a time in a checkout: two of them (`npm start` in one terminal, `npm test` in
// another) would delete files under each other.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

export const root = join(dirname(fileURLToPath(import.meta.url)), '..');

const lockFile = join(root, '.jobwarden', 'ensure.lock');

export async function withLock(work) {
  mkdirSync(dirname(lockFile), { recursive: true });
  for (let told = false; !acquire(); await delay(200)) {
    if (!told) console.log('Waiting for another command that is installing or building here ...');
    told = true;
  }
  try {
    return await work();
  } finally {
    rmSync(lockFile, { force: true });
  }
}

function acquire() {
  try {
    writeFileSync(lockFile, String(process.pid), { flag: 'wx' });
    return true;
  } catch (error) {
    if (error.code !== 'EEXIST') throw error;
    if (!holderIsAlive()) rmSync(lockFile, { force: true });
    return false;
  }
}

function holderIsAlive() {
  try {
    process.kill(Number(readFileSync(lockFile, 'utf8')), 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}
