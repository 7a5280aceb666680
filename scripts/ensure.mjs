// Makes the checkout ready before an npm script runs: packages installed, and with --build the program
// built. Runs on whatever Node the machine has (20 or later) and needs no package, because on a fresh
// clone there is none.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build, isBuilt } from './build.mjs';
import { generateApiTypes } from './dashboard.mjs';
import { root, withLock } from './lock.mjs';

const stampFile = join(root, 'node_modules', '.jobwarden-installed');

// Written after a success only, so an interrupted install is done again.
const wantedStamp = () => createHash('sha256').update(readFileSync(join(root, 'package-lock.json'))).digest('hex');
const isInstalled = () => existsSync(stampFile) && readFileSync(stampFile, 'utf8') === wantedStamp();

/** npm as the one that started us, run by the Node that ran it: `node` on the PATH may be the one being replaced. */
function npm(args) {
  const { npm_execpath: cli, npm_node_execpath: node } = process.env;
  const windows = process.platform === 'win32';
  return cli && node
    ? spawnSync(node, [cli, ...args], { cwd: root, stdio: 'inherit' })
    : spawnSync(windows ? 'npm.cmd' : 'npm', args, { cwd: root, stdio: 'inherit', shell: windows });
}

function install() {
  if (isInstalled()) return;
  console.log('Installing packages, Node 24 and PostgreSQL 18 among them: once, 15 to 60 seconds ...');
  // Dev dependencies bring Node itself, also under NODE_ENV=production. Every warning about the machine's
  // older Node would be noise, since that Node only starts this one.
  const { status } = npm(['ci', '--include=dev', '--loglevel=error', '--no-fund', '--no-audit']);
  if (status !== 0) fail('The installation failed; the reason is above. The next try starts over.');
  const major = projectNodeMajor();
  if (major < 24) {
    fail(
      `Jobwarden needs Node 24, and its packages brought none that runs here (found ${process.version}).\n` +
        'If npm is set to ignore-scripts, run: npm ci --include=dev --ignore-scripts=false\n' +
        'Otherwise install Node 24 yourself.',
    );
  }
  writeFileSync(stampFile, wantedStamp());
}

/** The Node that the next npm script finds first; the machine's own when the package has none for it. */
function projectNodeMajor() {
  const binary = join(root, 'node_modules', 'node', 'bin', process.platform === 'win32' ? 'node.exe' : 'node');
  const found = existsSync(binary)
    ? spawnSync(binary, ['-p', 'process.versions.node'], { encoding: 'utf8' }).stdout
    : process.versions.node;
  return Number.parseInt(found ?? '', 10) || 0;
}

function fail(message) {
  console.error(message);
  process.exit(1);
}

// Those of the dashboard, where its sources are checked but not built.
const wantsTypes = process.argv.includes('--types');
const wantsBuild = process.argv.includes('--build');
if (!isInstalled() || (wantsBuild && !isBuilt())) {
  await withLock(() => {
    install();
    if (wantsBuild && !isBuilt()) {
      console.log('Building ...');
      if (!build()) fail('The build failed; the reason is above.');
    }
  });
}
if (wantsTypes && !(await withLock(generateApiTypes))) fail('The API types of the dashboard could not be generated from docs/openapi.json.');
