// Runs every generator of documents: each lib or app that has one keeps it in src/generate-main.ts; those that need
// the tests' own tables lie in test/generate. With --check they write nothing, and any document that is not what the
// code says fails the command.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './lock.mjs';

const ofPackages = ['libs', 'apps']
  .flatMap((kind) => readdirSync(join(root, 'dist', kind)).map((name) => join('dist', kind, name, 'src/generate-main.js')))
  .filter((file) => existsSync(join(root, file)));
const ofTests = readdirSync(join(root, 'dist/test/generate'))
  .filter((name) => name.endsWith('-main.js'))
  .map((name) => join('dist/test/generate', name));
const generators = [...ofPackages, ...ofTests].sort();

let failed = generators.length === 0;
if (failed) console.error('No generator was found in dist.');
for (const file of generators) {
  console.log(file);
  const { status } = spawnSync(process.execPath, [file, ...process.argv.slice(2)], { cwd: root, stdio: 'inherit' });
  failed ||= status !== 0;
}
process.exitCode = failed ? 1 : 0;
