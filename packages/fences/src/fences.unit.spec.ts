import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { checkFence, createMemoryFence, fenceKey, fencingHeaders, POSTGRES_FENCE_SQL, staleRefusal, tokenOfRequest, type RequestHeaders } from './index.js';
import { parseToken, tokenText } from './token.js';

const folder = join(import.meta.dirname, '..');

describe('a token', () => {
  it.each([1, 7, 4_294_967_298, Number.MAX_SAFE_INTEGER])('may be %d, and is read back', (token) => {
    expect(parseToken(tokenText(token))).toBe(token);
  });

  it.each([0, -1, 1.5, NaN, Infinity, Number.MAX_SAFE_INTEGER + 1])('may not be %d', (token) => {
    expect(() => tokenText(token)).toThrow(RangeError);
  });

  it.each(['', '0', '07', '-7', '7.0', '7e3', ' 7', '0x7', '9007199254740992', '99999999999999999999'])('is not what %j says', (text) => {
    expect(parseToken(text)).toBeNull();
  });

  it('ends where doubles do (twin: one further, two tokens are the same)', () => {
    expect(Number('9007199254740993')).toBe(Number('9007199254740992'));
    expect(Number('9007199254740991')).not.toBe(Number('9007199254740990'));
  });
});

describe('the key of a fence', () => {
  it.each([
    ['invoice:7', '{invoice:7}:fence'],
    ['{user:1}:cart', '{user:1}:cart:fence'],
    ['a{b}c{d}', 'a{b}c{d}:fence'],
  ])('of %j is %j: on its slot', (key, fence) => {
    expect(fenceKey(key)).toBe(fence);
  });

  it.each(['a}b', 'a{b', '{}x'])('of %j there is none: it would lie on another slot', (key) => {
    expect(() => fenceKey(key)).toThrow(RangeError);
  });
});

describe('a fence in memory', () => {
  it('accepts 8, then refuses 7, and takes 8 again', () => {
    const fence = createMemoryFence();
    expect([8, 7, 8, 9].map((token) => fence.holds('r', token))).toEqual([true, false, true, true]);
    expect(fence.holds('another', 1)).toBe(true);
  });

  it('forgets the one written to longest ago, and no other', () => {
    const fence = createMemoryFence(2);
    for (const name of ['a', 'b', 'a', 'c']) fence.holds(name, 8);
    expect(['a', 'c', 'b'].map((name) => fence.holds(name, 7))).toEqual([false, false, true]);
  });
});

describe('the header Fencing-Token', () => {
  const fence = createMemoryFence();
  const ask = (headers: RequestHeaders) => checkFence(headers, (token) => fence.holds('r', token));
  const answer = async (headers: RequestHeaders) => {
    const refusal = await ask(headers);
    return refusal && { status: refusal.status, ...(JSON.parse(refusal.body) as object) };
  };

  it('of 8 goes through, of 7 then gets 412, and 8 may repeat', async () => {
    expect(await ask(new Headers(fencingHeaders(8)))).toBeNull();
    expect(await answer(new Headers(fencingHeaders(7)))).toMatchObject({ status: 412, code: 'stale_token', type: 'urn:jobwarden:problem:stale_token' });
    expect(await ask({ 'fencing-token': '8' })).toBeNull();
    expect(staleRefusal(7).headers['content-type']).toBe('application/problem+json');
  });

  it.each([[{}, 428, 'fencing_token_required'], [{ 'fencing-token': 'eight' }, 400, 'fencing_token_invalid'], [{ 'fencing-token': ['9', '9'] }, 400, 'fencing_token_invalid']])(
    'of %j gets %d',
    async (headers, status, code) => {
      expect(await answer(headers)).toMatchObject({ status, code });
      expect(tokenOfRequest(headers).kind).toBe('refused');
    },
  );
});

describe('what is shipped', () => {
  it('has the same SQL as text and as a file', () => {
    expect(POSTGRES_FENCE_SQL).toBe(readFileSync(join(folder, 'sql/fences.sql'), 'utf8'));
  });

  it('shows each example in the README as it is run', () => {
    const page = readFileSync(join(folder, 'README.md'), 'utf8');
    const examples = readdirSync(join(folder, 'examples'));
    expect(examples.length).toBe(3);
    for (const name of examples) expect(page).toContain(readFileSync(join(folder, 'examples', name), 'utf8').trim());
  });
});
