// Runs the dependency rule over the real imports, and proves on a copy that each part of it bites.
import { execFile } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

const root = join(import.meta.dirname, '../..');
const folders = ['apps', 'libs', 'packages', 'migrations', 'test'];

interface Violation {
  readonly rule: { readonly name: string };
  readonly from: string;
  readonly to: string;
}

const run = promisify(execFile);

async function violationsIn(folder: string): Promise<string[]> {
  const program = join(root, 'node_modules/dependency-cruiser/bin/dependency-cruiser.mjs');
  const present = folders.filter((name) => existsSync(join(folder, name)));
  const options = { cwd: folder, maxBuffer: 256 * 1024 * 1024 };
  // It ends with the number of violations, which is 1 or more where they were planted.
  const { stdout, stderr } = await run(process.execPath, [program, '--output-type', 'json', ...present], options).catch((error: unknown) => error as { stdout: string; stderr: string });
  if (stdout === '') throw new Error(stderr);
  const { summary } = JSON.parse(stdout) as { summary: { totalCruised: number; violations: Violation[] } };
  expect(summary.totalCruised).toBeGreaterThan(20);
  return summary.violations.map(({ rule, from }) => `${rule.name}: ${from}`);
}

// The whole tree is read, which takes long: once as it is, once with what was planted.
let real: string[];
beforeAll(async () => {
  real = await violationsIn(root);
});

test('the real imports keep the rule', () => {
  expect(real).toEqual([]);
});

/** File, its one import, and the rule that has to refuse it. */
const planted = [
  ['libs/domain/src/planted-type.ts', `import type { Client } from 'pg'; export type T = Client;`, 'domain-imports'],
  ['libs/domain/src/planted-builtin.ts', `import { hostname } from 'node:os'; export const t = hostname;`, 'domain-imports'],
  ['libs/domain/src/planted-contract.ts', `export * as t from '#libs/contracts';`, 'domain-imports'],
  ['libs/contracts/src/planted-upward.ts', `export type * from '#libs/application';`, 'contracts-imports'],
  ['libs/application/src/planted-adapter.ts', `export * as t from '#libs/postgres';`, 'application-imports'],
  ['libs/application/src/planted-io.ts', `import { readFileSync } from 'node:fs'; export const t = readFileSync;`, 'application-imports'],
  ['libs/config/src/planted-adapter.ts', `export * as t from '#libs/postgres';`, 'config-and-observability-imports'],
  ['libs/postgres/src/planted-adapter.ts', `export * as t from '#libs/embedded-postgres';`, 'no-adapter-to-adapter'],
  ['libs/brand-new/src/planted-adapter.ts', `export * as t from '#libs/postgres';`, 'no-adapter-to-adapter'],
  ['libs/postgres/src/planted-deep.ts', `export * as t from '../../domain/src/job/events/token.js';`, 'no-deep-import'],
  ['apps/server/src/planted-deep.ts', `export * as t from '../../../libs/domain/src/job/events/token.js';`, 'no-deep-import-from-outside'],
  ['libs/postgres/src/planted-app.ts', `export * as t from '../../../apps/server/src/planted-deep.js';`, 'libs-below-apps'],
  ['apps/server/src/planted-schema.ts', `export * as t from '../../../migrations/0001-log.js';`, 'migrations-by-postgres-only'],
  ['apps/server/src/planted-kit.ts', `export * as t from '#libs/testing';`, 'no-test-kit-in-production'],
  ['apps/server/src/planted-dev.ts', `export * as t from 'fast-check';`, 'no-dev-package-in-production'],
  ['apps/server/src/planted-undeclared.ts', `export * as t from 'avvio';`, 'no-undeclared-package'],
  ['apps/server/src/planted-nowhere.ts', `export * as t from './nowhere.js';`, 'no-unresolvable'],
  ['libs/config/src/planted-generator.ts', `import './generate-main.js';`, 'no-import-of-a-generator'],
  ['packages/worker/src/planted-lib.ts', `export * as t from '../../../libs/domain/src/index.js';`, 'packages-stand-alone'],
  ['packages/bullmq/src/planted-deep.ts', `export * as t from '../../worker/src/deep/planted.js';`, 'no-deep-import-of-a-package'],
  ['packages/worker/src/deep/planted.ts', `export * as t from '../../../../libs/contracts/src/index.js';`, 'packages-stand-alone'],
  ['test/e2e/histories-planted.ts', `export * as t from '#libs/domain';`, 'histories-stand-alone'],
] as const;

describe('a planted violation is found', () => {
  let copy: string;
  let found: string[];

  beforeAll(async () => {
    copy = mkdtempSync(join(tmpdir(), 'jobwarden-rule-'));
    for (const name of [...folders, 'package.json', 'tsconfig.json', '.dependency-cruiser.cjs']) {
      if (existsSync(join(root, name))) cpSync(join(root, name), join(copy, name), { recursive: true });
    }
    symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
    for (const [file, source] of planted) {
      mkdirSync(dirname(join(copy, file)), { recursive: true });
      writeFileSync(join(copy, file), `${source}\n`);
    }
    const [first, second] = ['libs/domain/src/planted-first.ts', 'libs/domain/src/planted-second.ts'];
    writeFileSync(join(copy, first), `import { b } from './planted-second.js'; export const a = (): unknown => b;\n`);
    writeFileSync(join(copy, second), `import { a } from './planted-first.js'; export const b = (): unknown => a;\n`);
    found = await violationsIn(copy);
  });
  afterAll(() => rmSync(copy, { recursive: true, force: true }));

  test.each(planted)('in %s: %s', (file, _source, rule) => {
    expect(found).toContain(`${rule}: ${file}`);
  });

  test('when two files import each other', () => {
    expect(found.some((line) => /^no-circular: libs\/domain\/src\/planted-(first|second)\.ts$/.test(line))).toBe(true);
  });

  test('and nothing that was not planted', () => {
    expect(found.filter((line) => !line.includes('planted'))).toEqual(real);
  });
});
