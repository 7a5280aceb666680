// The web dashboard: its API types from docs/openapi.json, and its build into dist/apps/dashboard with everything compressed
// beforehand. Each is made only when what it comes from has changed. The build fails when the first load is too large.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { root } from './lock.mjs';

const folder = join(root, 'apps', 'dashboard');
const out = join(root, 'dist', 'apps', 'dashboard');
const stampFile = join(root, 'dist', '.dashboard-built');
const document = join(root, 'docs', 'openapi.json');
const types = join(folder, 'src', 'api', 'generated', 'schema.d.ts');

/** HTML, styles, scripts of the shell and of the page that opens first, compressed by gzip: what the slowest browser loads. */
const FIRST_LOAD_BYTES = 300_000;
const FIRST_PAGE = 'src/pages/overview/OverviewPage.tsx';
/** Small ones gain nothing, and pictures are compressed already. */
const COMPRESSED = /\.(js|css|svg|html)$/;

function run(command, args) {
  const node = join(root, 'node_modules', 'node', 'bin', process.platform === 'win32' ? 'node.exe' : 'node');
  return spawnSync(existsSync(node) ? node : process.execPath, [join(root, 'node_modules', ...command.split('/')), ...args], {
    cwd: root,
    stdio: ['ignore', 'ignore', 'inherit'],
  }).status;
}

const hashOf = (...contents) => contents.reduce((hash, content) => hash.update(content).update('\0'), createHash('sha256')).digest('hex');

/** Generated, and not in the repository: every change of the API would change it. */
export function generateApiTypes() {
  const mark = `// From docs/openapi.json ${hashOf(readFileSync(document))}\n`;
  if (existsSync(types) && readFileSync(types, 'utf8').startsWith(mark)) return true;
  mkdirSync(dirname(types), { recursive: true });
  if (run('openapi-typescript/bin/cli.js', [document, '--output', types]) !== 0) return false;
  writeFileSync(types, mark + readFileSync(types, 'utf8'));
  return true;
}

function filesUnder(where) {
  return readdirSync(where, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
}

/** The API's types are no source: they say nothing at run time. */
function sourceHash() {
  const sources = filesUnder(folder).filter((file) => file !== types && !/(\.spec\.tsx?|\.md)$/.test(file));
  const others = [join(root, 'package-lock.json'), join(root, 'scripts', 'dashboard.mjs')];
  return hashOf(...[...sources, ...others].flatMap((file) => [relative(root, file), readFileSync(file)]));
}

export const isDashboardBuilt = () => existsSync(stampFile) && existsSync(join(out, 'index.html')) && readFileSync(stampFile, 'utf8') === sourceHash();

export function buildDashboard() {
  if (isDashboardBuilt()) return true;
  const hash = sourceHash();
  rmSync(stampFile, { force: true });
  if (run('vite/bin/vite.js', ['build', '--config', join(folder, 'vite.config.mjs'), '--logLevel', 'error']) !== 0) return false;
  const manifest = JSON.parse(readFileSync(join(out, '.vite', 'manifest.json'), 'utf8'));
  rmSync(join(out, '.vite'), { recursive: true });
  const bytes = firstLoad(manifest).reduce((sum, name) => sum + gzipSync(readFileSync(join(out, name))).length, 0);
  console.log(`Dashboard: first load ${(bytes / 1000).toFixed(0)} kB compressed, of ${String(FIRST_LOAD_BYTES / 1000)} kB.`);
  if (bytes > FIRST_LOAD_BYTES) {
    console.error('The first load of the dashboard is too large: move what only one page needs into that page.');
    return false;
  }
  compress();
  writeFileSync(stampFile, hash);
  return true;
}

/** Every file that a browser loads before the first page is there. */
function firstLoad(manifest) {
  const files = new Set(['index.html']);
  const take = (key) => {
    const chunk = manifest[key];
    if (chunk === undefined) throw new Error(`the build has no chunk ${key}`);
    if (files.has(chunk.file)) return;
    files.add(chunk.file);
    for (const name of [...(chunk.css ?? []), ...(chunk.assets ?? [])]) files.add(name);
    for (const other of chunk.imports ?? []) take(other);
  };
  take('index.html');
  take(FIRST_PAGE);
  return [...files];
}

/** index.html gets a nonce in each answer, so it is compressed then, if at all. */
function compress() {
  for (const file of filesUnder(out).filter((name) => COMPRESSED.test(name) && !name.endsWith('.html'))) {
    const content = readFileSync(file);
    const params = { [constants.BROTLI_PARAM_QUALITY]: 9, [constants.BROTLI_PARAM_SIZE_HINT]: content.length };
    writeFileSync(`${file}.br`, brotliCompressSync(content, { params }));
    writeFileSync(`${file}.gz`, gzipSync(content, { level: 9 }));
  }
}
