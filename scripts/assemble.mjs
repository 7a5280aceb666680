// Assembles what a container image has: exactly the files that would be published, and the packages that they need at run time, at
// the versions of the lock file. No compiler, no tests, no embedded PostgreSQL, no scripts of packages.
//
//   node scripts/assemble.mjs FOLDER     FOLDER is made, and has to be empty; the build has run before
import { spawnSync } from 'node:child_process';
import { chmodSync, copyFileSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { root } from './lock.mjs';

function run(command, args, cwd) {
  const { status, error, stdout, stderr } = spawnSync(command, args, { cwd, encoding: 'utf8' });
  if (status === 0) return stdout;
  throw new Error(`${command} ${args.join(' ')} failed: ${error?.message ?? `${stdout}${stderr}`}`);
}

/** As the npm that runs us, where one does. */
function npm(args, cwd) {
  const { npm_execpath: cli } = process.env;
  return cli ? run(process.execPath, [cli, ...args], cwd) : run('npm', args, cwd);
}

/** Where each package of this repository lies; the tarball of the service is unpacked into the folder itself. */
function workspaces() {
  return readdirSync(join(root, 'packages'))
    .map((name) => join('packages', name))
    .filter((folder) => existsSync(join(root, folder, 'package.json')));
}

function unpack(source, { tarballs, into }) {
  const { name, version } = JSON.parse(readFileSync(join(root, source, 'package.json'), 'utf8'));
  const tarball = join(tarballs, `${name.replace('@', '').replace('/', '-')}-${version}.tgz`);
  mkdirSync(join(into, source), { recursive: true });
  run('tar', ['-xzf', tarball, '--strip-components=1', '--no-same-owner', '-C', join(into, source)], root);
}

/** What only compilers, debuggers and readers open: half of all bytes. Licences stay. */
const UNREAD = /\.(?:d\.[cm]?ts|map)$|\.md$/i;

function removeUnread(folder) {
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (entry.isFile() && UNREAD.test(entry.name) && !/^licen[cs]e/i.test(entry.name)) rmSync(join(entry.parentPath, entry.name));
  }
}

function assemble(into) {
  const tarballs = mkdtempSync(join(tmpdir(), 'jobwarden-tarballs-'));
  try {
    npm(['pack', '--silent', '--ignore-scripts', '--workspaces', '--include-workspace-root', '--pack-destination', tarballs], root);
    for (const folder of ['.', ...workspaces()]) unpack(folder, { tarballs, into });
  } finally {
    rmSync(tarballs, { recursive: true, force: true });
  }
  copyFileSync(join(root, 'package-lock.json'), join(into, 'package-lock.json'));
  npm(['ci', '--omit=dev', '--omit=optional', '--omit=peer', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'], into);
  removeUnread(join(into, 'node_modules'));
  chmodSync(join(into, 'dist/apps/cli/src/main.js'), 0o755);
}

const [target] = process.argv.slice(2);
if (target === undefined) {
  console.error('Say where: node scripts/assemble.mjs FOLDER');
  process.exit(2);
}
const folder = resolve(target);
mkdirSync(folder, { recursive: true });
if (readdirSync(folder).length > 0) {
  console.error(`${folder} is not empty.`);
  process.exit(2);
}
assemble(folder);
