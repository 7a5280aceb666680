// Runs every generator of documents: each lib or app that has one keeps it in src/generate-main.ts. With --check
// they write nothing, and any document that is not what the code says fails the command.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './lock.mjs';

const generators = ['libs', 'apps']
  .flatMap((kind) => readdirSync(join(root, 'dist', kind)).map((name) => join('dist', kind, name, 'src/generate-main.js')))
  .filter((file) => existsSync(join(root, file)))
  .sort();

let failed = generators.length === 0;
if (failed) console.error('No generator was found in dist.');
for (const file of generators) {
  console.log(file);
  const { status } = spawnSync(process.execPath, [file, ...process.argv.slice(2)], { cwd: root, stdio: 'inherit' });
  failed ||= status !== 0;
}
process.exitCode = failed ? 1 : 0;
