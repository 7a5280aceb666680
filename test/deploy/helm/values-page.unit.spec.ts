import { describe, expect, it } from 'vitest';
import { rowsOf, withValues } from './values-page.js';

describe('the reference of the values', () => {
  it('has each described value in its order, with its path and default', () => {
    const values = '# About the file.\n\n# -- The first.\nname: \'\'\nimage:\n  # -- Where.\n  repository: here\n# -- As a whole.\nresources:\n  limits: { memory: 1Gi }\n# -- None.\nlist: []\n';
    expect(rowsOf(values)).toEqual([
      { key: 'name', fallback: '—', meaning: 'The first.' },
      { key: 'image.repository', fallback: '`here`', meaning: 'Where.' },
      { key: 'resources', fallback: '`{ limits: { memory: 1Gi } }`', meaning: 'As a whole.' },
      { key: 'list', fallback: '`[]`', meaning: 'None.' },
    ]);
  });

  it('is refused where a value has no description', () => {
    expect(() => rowsOf('# -- The first.\na: 1\nb:\n  c: 2\n')).toThrow('b.c has no description');
  });

  it('takes the place of what was generated before, and of nothing else', () => {
    const once = withValues('# A chart\n', '# -- The first.\na: 1\n');
    expect(withValues(once, '# -- Another.\nb: 2\n')).toBe(once.replace('| `a` | `1` | The first. |', '| `b` | `2` | Another. |'));
  });
});
