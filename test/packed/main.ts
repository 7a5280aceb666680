// `npm run check:packages`: what a new user of the packages does, with the tarballs that would be published.
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { runCommand } from '../figures/command.js';
import { dashboardFault } from './dashboard.js';
import { readFirstExample, readReadme, runExample } from './first-example.js';
import { startNeighbours, type Neighbours } from './neighbours.js';
import { readOptions, USAGE, type PackedOptions } from './options.js';
import { installIn, packAll, packagesOf, type Package } from './pack.js';

const root = join(import.meta.dirname, '../../..');
const packages = packagesOf(root);

interface Newcomer {
  readonly folder: string;
  readonly neighbours: Neighbours;
}

/** What went wrong, or null. */
async function tryOne({ folder: name }: Package, { folder, neighbours }: Newcomer): Promise<string | null> {
  try {
    const example = readFirstExample(readReadme(root, name));
    if (example.policy !== null) await neighbours.addToPolicy(example.policy);
    const { PATH = '', HOME = '' } = process.env;
    const { code, output } = await runExample(name, example, { folder, env: { PATH, HOME, ...neighbours.env } });
    if (code !== 0) return `ended with ${String(code)}:\n${output}`;
    return output.includes(example.shows) ? null : `did not show "${example.shows}":\n${output}`;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

async function main({ only }: PackedOptions): Promise<number> {
  const scratch = mkdtempSync(join(tmpdir(), 'jobwarden-newcomer-'));
  const folder = join(scratch, 'app');
  try {
    const tarballs = packAll(root, join(scratch, 'tarballs'));
    for (const file of tarballs) console.log(`packed ${basename(file)}, ${(statSync(file).size / 1_024).toFixed(0)} KiB`);
    installIn(folder, tarballs, { root, packages });
    console.log('installed into an empty folder');
    const neighbours = await startNeighbours(folder, { kafka: only.length === 0 || only.includes('kafka') });
    try {
      return await tryAll(only, { folder, neighbours });
    } finally {
      await neighbours.stop();
    }
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

async function tryAll(only: readonly string[], newcomer: Newcomer): Promise<number> {
  const broken = await dashboardFault(newcomer.neighbours.env['JOBWARDEN_URL'] ?? '');
  console.log(broken === null ? 'ok      the dashboard is served' : `MISSED  the dashboard: ${broken}`);
  let wrong = broken === null ? 0 : 1;
  for (const one of packages) {
    if (only.length > 0 && !only.includes(one.folder)) continue;
    const missing = newcomer.neighbours.leftOut[one.folder];
    if (missing !== undefined) {
      console.log(`left    ${one.manifest.name}: ${missing}`);
      continue;
    }
    const fault = await tryOne(one, newcomer);
    console.log(fault === null ? `ok      ${one.manifest.name}: its first example` : `MISSED  ${one.manifest.name}: ${fault}`);
    if (fault !== null) wrong += 1;
  }
  console.log(wrong === 0 ? '\nEvery first example shows what its README says.' : `\n${String(wrong)} of them do not.`);
  return wrong === 0 ? 0 : 1;
}

process.exitCode = await runCommand({
  usage: USAGE,
  read: (args) => readOptions(args, packages.map(({ folder }) => folder)),
  run: main,
});
