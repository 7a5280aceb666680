import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const root = join(import.meta.dirname, '../..');
const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { scripts: Record<string, string> };

test('the help lists every command of package.json, and no other', async () => {
  const { commands } = (await import(join(root, 'scripts/help.mjs'))) as { commands: Record<string, string> };
  const own = Object.keys(scripts).filter((name) => !(name.startsWith('pre') && name.slice(3) in scripts));
  expect(Object.keys(commands).sort()).toEqual(own.sort());
});

test('every command that needs packages makes the checkout ready first', () => {
  const standAlone = ['check', 'help'];
  const unready = Object.keys(scripts).filter(
    (name) => !name.startsWith('pre') && !standAlone.includes(name) && !scripts[`pre${name}`]?.includes('ensure.mjs'),
  );
  expect(unready).toEqual([]);
});

test('the container starts the service with the flags of npm start', () => {
  const flags = (scripts['start'] ?? '').split(' ').filter((word) => word.startsWith('--'));
  const image = readFileSync(join(root, 'Dockerfile'), 'utf8');
  expect(flags).toContain('--heap-growing-percent=100');
  const tracing = '"--import=/app/dist/libs/observability/src/tracing-main.js"';
  expect(image).toContain(`CMD ["node", ${flags.map((flag) => `"${flag}"`).join(', ')}, ${tracing}, "/app/dist/apps/server/src/main.js"]`);
});

test('a long-running command replaces the shell, so that a signal sent to npm reaches it', () => {
  const running = Object.entries(scripts).filter(([, command]) => command.includes('node --enable-source-maps'));
  expect(running.length).toBeGreaterThan(0);
  expect(running.filter(([, command]) => !command.startsWith('exec '))).toEqual([]);
});
