import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { EXIT } from './exit-codes.js';
import { renderCliPage } from './reference-page.js';
import { MAPPING_KEYS } from './replay/mapping.js';
import { run } from './run.js';

const page = readFileSync(join(import.meta.dirname, '../../../docs/cli.md'), 'utf8');

async function helpOf(...command: string[]): Promise<string> {
  let text = '';
  const line = (written: string): void => void (text += `${written}\n`);
  const terminal = { out: line, err: line, errRaw: line, interactive: false, columns: 100 };
  expect(await run([...command, '--help'], { terminal, env: {}, signal: new AbortController().signal })).toBe(
    EXIT.fine,
  );
  return text.trimEnd();
}

describe('docs/cli.md', () => {
  it('is what the definitions of the commands say: npm run generate makes it', () => {
    expect(page).toBe(renderCliPage());
  });

  it.each([
    ['migrate'],
    ['audit'],
    ['rebuild'],
    ['jobs'],
    ['dead-letters'],
    ['dead-letters', 'list'],
    ['dead-letters', 'show'],
    ['replay'],
    ['policies', 'check'],
  ])('holds the help of %s %s as it is printed', async (...command) => {
    expect(page).toContain(await helpOf(...command));
  });

  it('says of every command what it talks to', () => {
    const table = page.slice(page.indexOf('## What a command talks to'), page.indexOf('## jobwarden migrate'));
    const names = [...page.matchAll(/^## jobwarden (\S+)$/gmu)].map((found) => found[1]);
    expect(names).toContain('fold-version');
    for (const name of names) expect(table).toMatch(new RegExp(`^\\|.*\`${name}(\`| )`, 'mu'));
  });

  it('tells every exit code and every key of a mapping', () => {
    for (const code of Object.values(EXIT)) expect(page).toMatch(new RegExp(`^\\| ${code} \\|`, 'mu'));
    for (const key of Object.keys(MAPPING_KEYS)) expect(page).toContain(`  ${key} `);
  });
});
