import { describe, expect, it } from 'vitest';
import { faultsOf, goodPolicy, placesOf } from './policy.fixture.js';
import { MAX_TEXT_BYTES } from './yaml-tree.js';

describe('the text of a policy file', () => {
  it.each(['', '# nothing\n', 'defaults:\nqueues:\ntokens:\n', '---\n'])('may say nothing: %j', (text) => {
    expect(placesOf(text)).toEqual([]);
  });

  it('is refused with the place of a syntax error', () => {
    expect(placesOf('defaults:\n  lease: [30s\n')).toEqual(['3:1 yaml-bad-indent']);
  });

  it('is refused when a key is written twice, with both lines', () => {
    const [fault] = faultsOf('queues:\n  emails: {lease: 10s}\n  reports: {}\n  emails: {lease: 20s}\n');
    expect(fault).toMatchObject({ code: 'duplicate-key', line: 4, column: 3, path: 'queues.emails' });
    expect(fault?.rule).toContain('line 2');
  });

  it.each([
    ['a second document', 'defaults: {}\n---\ndefaults: {}\n', 'yaml-multiple-docs'],
    ['a tag that would run code', 'defaults: !!js/function "x"\n', 'yaml-tag-resolve-failed'],
    ['a key that is no word', '? [a, b]\n: 1\n', 'yaml-non-string-key'],
    ['a list at the top', '- 1\n', 'not-a-map'],
    ['a word at the top', 'act\n', 'not-a-map'],
    ['an alias without its anchor', 'defaults: *nowhere\n', 'unknown-alias'],
    ['an alias to itself', 'queues: &a {x: *a}\n', 'too-deep'],
    ['ten thousand brackets', `defaults: ${'['.repeat(10_000)}`, ''],
    ['a text that is too large', `#${'x'.repeat(MAX_TEXT_BYTES)}`, 'too-large'],
  ])('is refused with %s', (_what, text, code) => {
    const codes = faultsOf(text).map((fault) => fault.code);
    expect(codes.length).toBeGreaterThan(0);
    if (code !== '') expect(codes).toContain(code);
  });

  it('is refused when aliases multiply, before they do', () => {
    const levels = Array.from({ length: 9 }, (_, level) => {
      const inner = level === 0 ? 'x' : `*l${String(level - 1)}`;
      return `  l${String(level)}: &l${String(level)} [${Array.from({ length: 9 }, () => inner).join(', ')}]`;
    });
    const started = performance.now();
    expect(faultsOf(`queues:\n${levels.join('\n')}\n`).map((fault) => fault.code)).toContain('alias-bomb');
    expect(performance.now() - started).toBeLessThan(2_000);
  });

  it('may use an alias for what repeats', () => {
    const file = goodPolicy('queues:\n  a: &fast {lease: 6s, grace: 1s}\n  b: *fast\n');
    expect(file.namespaces.get('default')?.queues.get('b')?.resolved.policy.leaseMs).toBe(6_000);
  });

  it('keeps names as written: numbers, dots, and words that JavaScript knows', () => {
    const names = ['007', 'a.b', '__proto__', 'constructor', 'true', '名前'];
    const file = goodPolicy(`queues:\n${names.map((name) => `  ${JSON.stringify(name)}: {lease: 9s}`).join('\n')}\n`);
    expect([...(file.namespaces.get('default')?.queues.keys() ?? [])]).toEqual(names);
    expect(placesOf('queues:\n  007: {leese: 9s}\n  "a.b": {leese: 9s}\n')).toEqual([
      '2:9 unknown-key queues.007.leese',
      '3:11 unknown-key queues["a.b"].leese',
    ]);
  });
});
