import { readFile, writeFile } from 'node:fs/promises';
import { pairsTable } from '#libs/domain';

/** Writes `docs/contract/pairs.md`, from the repository's root. With `--check` exits 1 when it is not current. */
const FILE = 'docs/contract/pairs.md';

const page = pairsTable();
if (process.argv.includes('--check')) {
  const stored = await readFile(FILE, 'utf8').catch(() => '');
  if (stored !== page) {
    process.stderr.write(`${FILE} is not current: run node dist/test/generate/pairs-main.js\n`);
    process.exitCode = 1;
  }
} else {
  await writeFile(FILE, page);
}
