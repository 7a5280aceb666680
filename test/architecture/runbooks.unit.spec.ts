import { globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { parse } from 'yaml';
import { describe, expect, it } from 'vitest';

const root = join(import.meta.dirname, '../..');
const RULES = globSync('deploy/prometheus/*.rules.yaml', { cwd: root });
const PAGES = globSync('docs/runbooks/*.md', { cwd: root });
const SECTIONS = ['What it means', 'Look first', 'Likely causes', 'Do', 'Do not'];

interface Rule {
  readonly alert: string;
  readonly annotations: Readonly<Record<string, string>>;
}

/** What is only recorded pages nobody. */
const rulesOf = (file: string): readonly Rule[] =>
  (parse(readFileSync(join(root, file), 'utf8')) as { groups: { rules: (Rule | { readonly record: string })[] }[] }).groups.flatMap(({ rules }) => rules.filter((rule) => 'alert' in rule));
const ALERTS = RULES.flatMap((file) => rulesOf(file).map((rule) => ({ ...rule, file })));
const commandsOf = (text: string): readonly string[] => [...text.matchAll(/\bjobwarden ([a-z][a-z-]* [a-z][a-z-]*|[a-z][a-z-]*)/gu)].map(([, command = '']) => command);

describe('every alert', () => {
  it.each(ALERTS.map(({ alert, file, annotations }) => [alert, file, annotations] as const))('%s has a page of its own, and says where', (alert, file, annotations) => {
    expect(annotations['runbook_url']).toBe(`docs/runbooks/${alert}.md`);
    expect(annotations['summary']).toBeDefined();
    const page = readFileSync(join(root, `docs/runbooks/${alert}.md`), 'utf8');
    expect(page).toContain(`# ${alert}\n`);
    expect(page).toContain(basename(file));
    expect([...page.matchAll(/^## (.+)$/gmu)].map(([, heading]) => heading)).toEqual(SECTIONS);
    expect(page.split('## Look first')[1]?.split('## ')[0]).toMatch(/```sh\n(?:curl|jobwarden|kubectl) /u);
  });

  it('has a name of its own, and every page an alert', () => {
    const names = ALERTS.map(({ alert }) => alert);
    expect(new Set(names).size).toBe(names.length);
    expect(PAGES.map((page) => basename(page, '.md')).sort()).toEqual([...names].sort());
    expect(names.length).toBeGreaterThan(10);
  });

  it('names only commands that there are', () => {
    const reference = readFileSync(join(root, 'docs/cli.md'), 'utf8');
    const known = new Set([...reference.matchAll(/^## jobwarden (.+)$/gmu)].map(([, command]) => command));
    const named = PAGES.flatMap((page) => commandsOf([...readFileSync(join(root, page), 'utf8').matchAll(/```sh\n[\s\S]*?```|`[^`\n]+`/gu)].join('\n')));
    expect(named.length).toBeGreaterThan(10);
    for (const command of named) expect(known, command).toContain(command);
    expect(known).not.toContain('dead-letters wish');
  });
});
