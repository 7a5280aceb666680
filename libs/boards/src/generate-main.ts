import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readAlertRules } from './alert-rules.js';
import { boards } from './boards.js';

/** Writes `deploy/grafana/dashboards`, from the repository's root. With `--check` exits 1 when one of them is not current. */
const FOLDER = 'deploy/grafana/dashboards';

await mkdir(FOLDER, { recursive: true });
for (const [name, board] of boards(readAlertRules('.'))) {
  const file = join(FOLDER, name);
  const text = `${JSON.stringify(board, null, 2)}\n`;
  if (!process.argv.includes('--check')) await writeFile(file, text);
  else if ((await readFile(file, 'utf8').catch(() => '')) !== text) {
    process.stderr.write(`${file} is not current: run node dist/libs/boards/src/generate-main.js\n`);
    process.exitCode = 1;
  }
}
