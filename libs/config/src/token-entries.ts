import { createHash } from 'node:crypto';
import type { FaultLog } from './fault-log.js';
import { forEachItem, readFields, type FieldTable } from './fields.js';
import { TOKEN_SCOPES, type TokenEntry, type TokenScope } from './policy-types.js';
import { listOf, oneOf, text, type Reader } from './readers.js';
import type { Tree } from './yaml-tree.js';

interface TokenSettings {
  readonly name: string;
  readonly hash: string;
  readonly scopes: readonly TokenScope[];
  readonly namespaces: readonly string[];
}

const HASH_MEND = 'write the output of: printf %s "$TOKEN" | sha256sum | cut -c1-64';

const hashReader: Reader<string> = {
  type: 'SHA-256',
  rule: '64 hexadecimal digits',
  read(tree) {
    const written = tree.kind === 'scalar' ? tree.text.toLowerCase() : '';
    if (/^[0-9a-f]{64}$/.test(written)) return { ok: true, value: written };
    // Not quoted: people put the token itself here.
    return { ok: false, rule: 'must be the SHA-256 of the token, as 64 hexadecimal digits', mend: HASH_MEND };
  },
};

export const TOKEN_FIELDS: FieldTable<TokenSettings> = {
  name: {
    reader: text({ min: 1, max: 100 }, 'a name'),
    written: null,
    meaning: 'Shown as the author of what is done with it. Required.',
  },
  hash: { reader: hashReader, written: null, meaning: 'Of the token; the token itself is nowhere. Required.' },
  scopes: {
    reader: listOf(oneOf<TokenScope>(TOKEN_SCOPES), 1),
    written: null,
    meaning: '`emit` sends events, `read` sees, `operate` acts on jobs and queues, `admin` all. Required.',
  },
  namespaces: {
    reader: listOf(text({ min: 1, max: 1_024 }, 'a namespace'), 1),
    written: 'default',
    meaning: 'What lies elsewhere is not found. `"*"`: every namespace.',
  },
};

export function readTokens(tree: Tree | undefined, log: FaultLog): readonly TokenEntry[] {
  const tokens: TokenEntry[] = [];
  if (tree === undefined) return tokens;
  forEachItem({ tree, path: 'tokens', log }, (item, path) => {
    const before = log.count;
    const { name, hash, scopes, namespaces } = readFields({ tree: item, path, log }, TOKEN_FIELDS);
    if (log.count > before) return;
    if (name === undefined) log.add('missing-key', item.place, `${path}.name`, 'is required', 'add a name, such as ci');
    if (hash === undefined) log.add('missing-key', item.place, `${path}.hash`, 'is required', HASH_MEND);
    if (scopes === undefined)
      log.add('missing-key', item.place, `${path}.scopes`, 'is required', `add some of ${TOKEN_SCOPES.join(', ')}`);
    if (name === undefined || hash === undefined || scopes === undefined) return;
    for (const other of tokens) {
      if (other.name === name.value)
        log.add(
          'token-twice',
          name.place,
          name.path,
          `another token is named ${JSON.stringify(name.value)}`,
          'give each its own name: the audit trail shows it',
        );
      if (other.hash === hash.value)
        log.add(
          'token-twice',
          hash.place,
          hash.path,
          `is the hash of ${JSON.stringify(other.name)} too`,
          'make another token, or join the two entries',
        );
    }
    const named = namespaces?.value ?? ['default'];
    tokens.push({
      name: name.value,
      hash: hash.value,
      scopes: scopes.value,
      namespaces: named.includes('*') ? 'all' : named,
    });
  });
  return tokens;
}

/**
 * What stands in the policy file for a token: SHA-256, lower-case hex. Tokens are random and long, so one
 * round is enough.
 */
export function hashToken(token: string): string {
  return createHash('sha256').update(token, 'utf8').digest('hex');
}
