import 'reflect-metadata';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describeService } from './http/describe-service.js';

/** Writes docs/openapi.json; with `--check` only says whether it is that of the code, by exit code 1. */
const file = join(process.cwd(), 'docs', 'openapi.json');
const text = `${JSON.stringify(await describeService(), null, 2)}\n`;
if (!process.argv.includes('--check')) {
  writeFileSync(file, text);
} else if (current(file) !== text) {
  process.stderr.write('docs/openapi.json is not that of the code: run npm run generate\n');
  process.exitCode = 1;
}

function current(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
}
