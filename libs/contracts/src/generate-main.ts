import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { asyncApiDocument } from './asyncapi/document.js';
import { contractDocuments, documentText } from './generate.js';

/**
 * Writes docs/contract/*.schema.json and docs/asyncapi.json, from the repository's root. With `--check` it writes nothing, names what is
 * stale, missing or left over, and exits 1.
 */
const FOLDER = join('docs', 'contract');
const SUFFIX = '.schema.json';
const ASYNC_API = join('docs', 'asyncapi.json');

const wanted = new Map([...contractDocuments()].map(([name, document]) => [name, documentText(document)]));
const found = filesIn(FOLDER);
const stale = [...wanted].filter(([name, text]) => found.get(name) !== text).map(([name]) => name);
const asyncApi = documentText(asyncApiDocument());
const leftOver = [...found.keys()].filter((name) => !wanted.has(name));

if (process.argv.includes('--check')) check();
else write();

function check(): void {
  for (const name of stale) process.stderr.write(`${join(FOLDER, name)} is ${found.has(name) ? 'stale' : 'missing'}\n`);
  for (const name of leftOver) process.stderr.write(`${join(FOLDER, name)} belongs to nothing\n`);
  const asyncApiIsStale = textOf(ASYNC_API) !== asyncApi;
  if (asyncApiIsStale) process.stderr.write(`${ASYNC_API} is not that of the code\n`);
  if (asyncApiIsStale || stale.length + leftOver.length > 0) {
    process.stderr.write('Run the generator without --check and commit what it writes.\n');
    process.exitCode = 1;
  }
}

function write(): void {
  mkdirSync(FOLDER, { recursive: true });
  for (const name of stale) writeFileSync(join(FOLDER, name), wanted.get(name) ?? '');
  for (const name of leftOver) rmSync(join(FOLDER, name));
  writeFileSync(ASYNC_API, asyncApi);
  process.stdout.write(`${FOLDER}: ${wanted.size} documents, ${stale.length} written, ${leftOver.length} removed\n`);
}

function textOf(file: string): string | null {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return null;
  }
}

function filesIn(folder: string): Map<string, string> {
  let names: string[] = [];
  try {
    names = readdirSync(folder);
  } catch {
    // No folder yet: nothing is found.
  }
  return new Map(
    names.filter((name) => name.endsWith(SUFFIX)).map((name) => [name, readFileSync(join(folder, name), 'utf8')]),
  );
}
