import { readFile, writeFile } from 'node:fs/promises';
import { withValues } from '../deploy/helm/values-page.js';

/** Writes the values of the Helm chart into its README, from the repository's root. With `--check` exits 1 when it is not current. */
const CHART = 'deploy/helm/jobwarden';
const FILE = `${CHART}/README.md`;

const stored = await readFile(FILE, 'utf8');
const page = withValues(stored, await readFile(`${CHART}/values.yaml`, 'utf8'));
if (process.argv.includes('--check')) {
  if (stored !== page) {
    process.stderr.write(`${FILE} is not current: run node dist/test/generate/helm-values-main.js\n`);
    process.exitCode = 1;
  }
} else {
  await writeFile(FILE, page);
}
