import { describe, expect, it } from 'vitest';
import { DEFAULT_LIMITS } from '#libs/contracts';
import { KeySet } from './key-set.js';
import { linesOf, LIST_LIMITS } from './lines.js';
import { statusWords } from './status-words.js';
import { readLine } from './their-line.js';

async function* cut(text: string | Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += size) yield await Promise.resolve(bytes.subarray(at, at + size));
}

async function lines(text: string, size = 3, limits = LIST_LIMITS) {
  const found: [number, string | null][] = [];
  for await (const { line, bytes } of linesOf(cut(text, size), limits)) found.push([line, bytes?.toString() ?? null]);
  return found;
}

describe('a list cut into lines', () => {
  it('is the same however it arrives; empty lines count and are left out', async () => {
    for (const size of [1, 2, 3, 100]) {
      expect(await lines('ab\n\n \r\ncdé\r\nlast', size)).toEqual([[1, 'ab'], [4, 'cdé\r'], [5, 'last']]);
    }
    expect(await lines('')).toEqual([]);
    expect(await lines('\n\n')).toEqual([]);
  });

  it('leaves a line out that is too long, and goes on behind it', async () => {
    const limits = { ...LIST_LIMITS, lineBytes: 4 };
    expect(await lines('12345\n1234\n123456', 2, limits)).toEqual([[1, null], [2, '1234'], [3, null]]);
  });

  it('is refused as a whole over its limits', async () => {
    await expect(lines('a\nb\nc', 1, { ...LIST_LIMITS, lines: 2 })).rejects.toMatchObject({ code: 'list_too_large' });
    await expect(lines('abcdef', 1, { ...LIST_LIMITS, bytes: 5 })).rejects.toMatchObject({ code: 'list_too_large' });
  });
});

describe('a line', () => {
  const parsed = statusWords('active:processing', undefined);
  const rules = {
    namespace: 'default',
    queue: null as string | null,
    words: parsed.ok ? parsed.words : () => null,
    maySee: (namespace: string) => namespace !== 'theirs',
    lineBytes: 100,
    limits: DEFAULT_LIMITS,
  };
  const read = (text: string | Buffer | null, more: Partial<typeof rules> = {}) =>
    readLine({ line: 7, bytes: text === null ? null : Buffer.from(text) }, { ...rules, ...more });

  it('names a job and what it is there', () => {
    expect(read('{"queue":"q","id":"1","status":"active","attempt":2,"more":[1]}')).toMatchObject({
      line: 7,
      ref: { namespace: 'default', queue: 'q', id: '1' },
      theirs: { word: 'active', status: 'processing', attempt: 2 },
    });
    expect(read('{"id":41,"status":"queued"}', { queue: 'mine' })).toMatchObject({ ref: { queue: 'mine', id: '41' } });
    expect(read('{"namespace":"acme","queue":"q","id":"1","status":"queued"}')).toMatchObject({ ref: { namespace: 'acme' } });
  });

  it.each([
    [null, 'too_long'],
    [Buffer.from([0x7b, 0xff]), 'not_utf8'],
    ['queue,id,status', 'not_json'],
    ['[{"id":"1"}]', 'not_an_object'],
    ['7', 'not_an_object'],
    ['{"id":"1","status":"active"}', 'field'],
    ['{"queue":"q","status":"active"}', 'field'],
    ['{"queue":"q","id":{},"status":"active"}', 'field'],
    ['{"queue":"q","id":"","status":"active"}', 'field'],
    ['{"queue":"q","id":"a\\u0000b","status":"active"}', 'field'],
    ['{"queue":"q","id":"a\\ud800b","status":"active"}', 'field'],
    [`{"queue":"${'q'.repeat(256)}","id":"1","status":"active"}`, 'field'],
    ['{"queue":"q","id":"1"}', 'field'],
    ['{"queue":"q","id":"1","status":"active","attempt":0}', 'field'],
    ['{"queue":"q","id":"1","status":"gone"}', 'status_unknown'],
    ['{"namespace":"theirs","queue":"q","id":"1","status":"active"}', 'namespace_unknown'],
  ])('that says nothing is told with its reason: %s', (text, reason) => {
    expect(read(text)).toMatchObject({ line: 7, reason });
  });

  it('with a word that nobody knows is told what to do about it', () => {
    const { detail } = read('{"queue":"q","id":"1","status":"gone"}') as { detail: string };
    expect(detail).toBe('status "gone" is none of ours: say what it means, as map=WORD:STATUS, or with preset');
  });
});

describe('a set of keys', () => {
  it('knows what was put in, through many growths, and nothing else', () => {
    const set = new KeySet();
    const key = (n: number) => `${n.toString(16).padStart(16, '0')}${(n % 7).toString(16).padStart(16, '0')}`;
    for (let n = 1; n <= 5_000; n += 1) set.add(key(n));
    for (let n = 1; n <= 5_000; n += 1) set.add(key(n));
    expect(set.size).toBe(5_000);
    for (let n = 1; n <= 5_000; n += 1) expect(set.has(key(n))).toBe(true);
    for (let n = 5_001; n <= 6_000; n += 1) expect(set.has(key(n))).toBe(false);
  });
});
