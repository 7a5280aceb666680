// Builds dist and remembers from what, so that `npm start` builds only what changed. As a program:
// `npm run build`.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFileSync, existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import { buildDashboard, generateApiTypes, isDashboardBuilt } from './dashboard.mjs';
import { root, withLock } from './lock.mjs';

const dist = join(root, 'dist');
const stampFile = join(dist, '.jobwarden-built');
const sourceFolders = ['apps', 'libs', 'migrations', 'test', 'examples'];
/** Has a build and a stamp of its own. */
const dashboard = join(root, 'apps', 'dashboard');
const packagesFolder = join(root, 'packages');
const buildFiles = ['package-lock.json', 'package.json', 'nest-cli.json', 'tsconfig.json', 'tsconfig.build.json', 'tsconfig.package.json'];

function filesUnder(folder, wanted) {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && wanted(entry.name))
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name))
    .filter((file) => !file.includes('node_modules') && !file.startsWith(dashboard));
}

/** What users install, by folder. */
const packages = () => readdirSync(packagesFolder).filter((name) => existsSync(join(packagesFolder, name, 'package.json')));

const isAsset = (name) => name.endsWith('.sql');
const isSource = (name) => (name.endsWith('.ts') && !name.endsWith('.spec.ts')) || isAsset(name);

/** By content, not by time: a checkout of another branch and back needs no build. */
function sourceHash() {
  const sources = sourceFolders.flatMap((folder) => filesUnder(join(root, folder), isSource));
  for (const name of packages()) {
    const folder = join(packagesFolder, name);
    sources.push(join(folder, 'package.json'), join(folder, 'tsconfig.package.json'), ...filesUnder(join(folder, 'src'), isSource));
  }
  const hash = createHash('sha256');
  for (const file of [...sources, ...buildFiles.map((name) => join(root, name))].sort()) {
    hash.update(relative(root, file)).update('\0').update(readFileSync(file)).update('\0');
  }
  return hash.digest('hex');
}

export const isBuilt = () => isServerBuilt() && isDashboardBuilt();
const isServerBuilt = () => existsSync(stampFile) && readFileSync(stampFile, 'utf8') === sourceHash();

/** What is read at run time lies beside the compiled file, as it does beside the source. */
function copyAssets() {
  for (const file of sourceFolders.flatMap((folder) => filesUnder(join(root, folder), isAsset))) {
    const copy = join(dist, relative(root, file));
    mkdirSync(dirname(copy), { recursive: true });
    copyFileSync(file, copy);
  }
}

/** The compiler leaves the output of a deleted source behind; a deleted migration would still run. */
function removeLeftovers() {
  for (const folder of sourceFolders) {
    for (const file of filesUnder(join(dist, folder), (name) => /\.js(\.map)?$/.test(name) || isAsset(name))) {
      const source = join(root, relative(dist, file).replace(/\.js(\.map)?$/, '.ts'));
      if (!existsSync(source) && !file.includes(join('apps', 'dashboard'))) rmSync(file);
    }
  }
  for (const name of packages()) {
    const folder = join(packagesFolder, name);
    for (const file of filesUnder(join(folder, 'dist'), (entry) => /\.(js|d\.ts)$/.test(entry))) {
      const source = join(folder, 'src', relative(join(folder, 'dist'), file).replace(/\.(js|d\.ts)$/, '.ts'));
      if (!existsSync(source)) rmSync(file);
    }
  }
}

/** Each into a dist of its own, those that others need first. */
function buildPackages() {
  const projects = packages().map((name) => join(packagesFolder, name, 'tsconfig.package.json'));
  const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
  const { status } = spawnSync(projectNode(), [tsc, '-b', ...projects], { cwd: root, stdio: 'inherit' });
  return status === 0;
}

/** What has changed; with `anew` all of the server, whatever its stamp says. */
export function build({ anew = false } = {}) {
  return ((!anew && isServerBuilt()) || buildServer()) && generateApiTypes() && buildDashboard();
}

function buildServer() {
  const hash = sourceHash();
  rmSync(stampFile, { force: true });
  if (!buildPackages()) return false;
  const nest = join(root, 'node_modules', '@nestjs', 'cli', 'bin', 'nest.js');
  const { status } = spawnSync(projectNode(), [nest, 'build'], { cwd: root, stdio: 'inherit' });
  if (status !== 0) return false;
  copyAssets();
  removeLeftovers();
  writeFileSync(stampFile, hash);
  return true;
}

function projectNode() {
  const name = join(root, 'node_modules', 'node', 'bin', process.platform === 'win32' ? 'node.exe' : 'node');
  return existsSync(name) ? name : process.execPath;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  process.exitCode = (await withLock(() => build({ anew: true }))) ? 0 : 1;
}
