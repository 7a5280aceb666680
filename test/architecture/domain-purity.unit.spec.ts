// The same events have to give the same row anywhere and at any time, so the domain may ask nobody.
import { ESLint } from 'eslint';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';

const root = join(import.meta.dirname, '../..');

/** What the linter says of a text as if it stood in that file. */
async function rulesBrokenBy(source: string, file: string): Promise<(string | null)[]> {
  const [result] = await new ESLint({ cwd: root }).lintText(source, { filePath: join(root, file) });
  return result!.messages.map((message) => message.ruleId);
}

describe('in the domain the linter refuses', () => {
  const domainFile = 'libs/domain/src/index.ts';
  // The first call reads the whole program for its types.
  beforeAll(() => rulesBrokenBy('export {};\n', domainFile));

  test.each([
    ['the clock', 'export const now = () => Date.now();'],
    ['a new date without a value', 'export const now = () => new Date();'],
    ['the date as a function', 'export const now = () => Date();'],
    ['the monotonic clock', 'export const now = () => performance.now();'],
    ['chance', 'export const chance = () => Math.random();'],
    ['random bytes', 'export const id = () => crypto.randomUUID();'],
    ['the environment', 'export const home = () => process.env.HOME;'],
    ['a timer', 'export const later = (f: () => void) => setTimeout(f, 1);'],
    ['a way around all that', 'export const g = globalThis;'],
  ])('%s', async (_, source) => {
    const rules = await rulesBrokenBy(`${source}\n`, domainFile);
    expect(rules.some((rule) => rule === 'no-restricted-syntax' || rule === 'no-restricted-globals')).toBe(true);
  });

  test('but not a date made from a number that came in', async () => {
    expect(await rulesBrokenBy('export const day = (ms: number) => new Date(ms).getUTCDay();\n', domainFile)).toEqual([]);
  });
});

test('an enum is refused everywhere', async () => {
  expect(await rulesBrokenBy('export enum Colour { Red }\n', 'libs/config/src/index.ts')).toContain('no-restricted-syntax');
});
