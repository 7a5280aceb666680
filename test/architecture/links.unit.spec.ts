import { globSync, existsSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { describe, expect, it } from 'vitest';

const root = join(import.meta.dirname, '../..');
const PAGES = globSync(['*.md', 'docs/**/*.md', 'packages/*/README.md', 'examples/**/*.md'], { cwd: root, exclude: ['**/node_modules/**'] });

/** As the usual readers of Markdown name a heading. */
function anchorsOf(file: string): readonly string[] {
  const text = readFileSync(file, 'utf8').replaceAll(/^```[\s\S]*?^```/gmu, '');
  const seen = new Map<string, number>();
  return [...text.matchAll(/^#+ +(.+)$/gmu)].map(([, heading = '']) => {
    const slug = heading.replaceAll(/\[([^\]]*)\]\([^)]*\)/gu, '$1').toLowerCase().replaceAll(/[^\p{L}\p{N}\s_-]/gu, '').trim().replaceAll(/\s/gu, '-');
    const before = seen.get(slug) ?? 0;
    seen.set(slug, before + 1);
    return before === 0 ? slug : `${slug}-${String(before)}`;
  });
}

/** Links to files of the repository that lead nowhere. */
function deadLinks(page: string): readonly string[] {
  const text = readFileSync(join(root, page), 'utf8').replaceAll(/^```[\s\S]*?^```/gmu, '').replaceAll(/`[^`\n]*`/gu, '');
  const targets = [...text.matchAll(/\]\(([^)\s]+)\)/gu)].map(([, target = '']) => target).filter((target) => !/^[a-z]+:/u.test(target));
  return targets.filter((target) => {
    const [path = '', anchor] = target.split('#');
    const file = path === '' ? join(root, page) : join(root, dirname(page), path);
    return !existsSync(file) || (anchor !== undefined && file.endsWith('.md') && !anchorsOf(file).includes(anchor));
  });
}

describe('links between the pages', () => {
  it.each(PAGES.map((page) => relative('.', page)))('lead somewhere: %s', (page) => {
    expect(deadLinks(page)).toEqual([]);
  });

  it('are found at all, or the tests above could not fail', () => {
    expect(PAGES.length).toBeGreaterThan(30);
    expect(anchorsOf(join(root, 'docs/operations.md'))).toContain('retention');
  });
});
