import { describe, expect, it } from 'vitest';
import { faultsOf, goodPolicy } from './policy.fixture.js';
import { hashToken } from './token-entries.js';

const HASH = hashToken('a token');

describe('tokens', () => {
  it('have a name, a hash, scopes and namespaces', () => {
    const other = hashToken('another').toUpperCase();
    const { tokens } = goodPolicy(`tokens:
  - {name: ci, hash: ${HASH}, scopes: [emit, read]}
  - {name: ops, hash: ${other}, scopes: admin, namespaces: ["*"]}
`);
    expect(tokens).toEqual([
      { name: 'ci', hash: HASH, scopes: ['emit', 'read'], namespaces: ['default'] },
      { name: 'ops', hash: other.toLowerCase(), scopes: ['admin'], namespaces: 'all' },
    ]);
  });

  it('are hashed as sha256sum does it', () => {
    expect(hashToken('test')).toBe('9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08');
  });

  it.each([
    [`{}`, ['missing-key', 'missing-key', 'missing-key']],
    [`{name: a, hash: ${HASH}, scopes: [emti]}`, ['bad-value']],
    [`{name: a, hash: ${HASH}, scopes: []}`, ['bad-value']],
    [`{name: a, hash: ${HASH}, scopes: [read], namespaces: []}`, ['bad-value']],
    [`{name: a, hash: ${HASH}, scope: [read]}`, ['unknown-key']],
    [
      `{name: a, hash: ${HASH}, scopes: [read]}, {name: a, hash: ${HASH}, scopes: [read]}`,
      ['token-twice', 'token-twice'],
    ],
  ])('are refused: %s', (entries, codes) => {
    expect(faultsOf(`tokens: [${entries}]`).map((fault) => fault.code)).toEqual(codes);
  });

  it('written in place of their hash are refused without being shown', () => {
    const faults = faultsOf('tokens: [{name: a, hash: my-token-in-clear, scopes: [read]}]');
    expect(faults).toHaveLength(1);
    expect(JSON.stringify(faults)).not.toContain('my-token-in-clear');
  });

  it('are refused as sha256sum prints them, with a command that prints the digits alone', () => {
    const faults = faultsOf(`tokens:\n  - {name: a, hash: ${HASH}  -, scopes: [read]}\n`);
    expect(faults.map(({ mend }) => mend)).toEqual(['write the output of: printf %s "$TOKEN" | sha256sum | cut -c1-64']);
  });
});
