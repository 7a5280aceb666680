import { readFile, writeFile } from 'node:fs/promises';
import { renderMetricsPage } from './reference-page.js';

/** Writes `docs/metrics.md`, from the repository's root. With `--check` exits 1 when it is not current. */
const FILE = 'docs/metrics.md';

const page = renderMetricsPage();
if (process.argv.includes('--check')) {
  const stored = await readFile(FILE, 'utf8').catch(() => '');
  if (stored !== page) {
    process.stderr.write(`${FILE} is not current: run node dist/libs/observability/src/generate-main.js\n`);
    process.exitCode = 1;
  }
} else {
  await writeFile(FILE, page);
}
