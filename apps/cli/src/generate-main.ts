import { readFile, writeFile } from 'node:fs/promises';
import { renderCliPage } from './reference-page.js';

/** Writes `docs/cli.md`, from the repository's root. With `--check` exits 1 when it is not current. */
const FILE = 'docs/cli.md';

const page = renderCliPage();
if (process.argv.includes('--check')) {
  const stored = await readFile(FILE, 'utf8').catch(() => '');
  if (stored !== page) {
    process.stderr.write(`${FILE} is not current: run node dist/apps/cli/src/generate-main.js\n`);
    process.exitCode = 1;
  }
} else {
  await writeFile(FILE, page);
}
