import type { KafkaMessage } from 'kafkajs';
import { describe, expect, it } from 'vitest';
import { LARGEST_BYTES, messageOf, payloadOf } from './payload.js';

const record = (value: Buffer | string | null, more: Partial<KafkaMessage> = {}) =>
  ({ key: null, timestamp: '1', attributes: 0, offset: '0', headers: {}, ...more, value: value === null ? null : Buffer.from(value) }) as KafkaMessage;

/** As bytes, as the broker gets it. */
const bytes = (message: ReturnType<typeof messageOf>) => ({
  key: message.key == null ? null : Buffer.from(message.key),
  value: message.value === null ? null : Buffer.from(message.value),
});

const nested = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels);

describe('a record as Jobwarden keeps it', () => {
  it('is legible where it is JSON', () => {
    const headers = { trace: Buffer.from('x'), many: [Buffer.from('a'), Buffer.from([0xff])] };
    expect(payloadOf(record('{"to":"ada"}', { key: Buffer.from('k'), headers }))).toEqual({
      key: 'k',
      json: { to: 'ada' },
      headers: { trace: 'x', many: ['a', { base64: '/w==' }] },
    });
  });

  it.each([
    ['JSON', '{"to":"ada","n":[1,2.5,null]}'],
    ['text', 'not { json'],
    ['bytes', Buffer.from([0, 0xff, 0xfe, 1])],
    ['a number that would lose digits', '{"id":12345678901234567890}'],
    ['such digits in a text', '{"id":"12345678901234567890"}'],
    ['too deep for Jobwarden', nested(40)],
    ['no value', null],
    ['an empty value', ''],
  ])('is put back as it was: %s', (_, value) => {
    const native = record(value, { key: Buffer.from([0xff, 0x00]) });
    const payload = payloadOf(native);
    expect(bytes(messageOf(JSON.parse(JSON.stringify(payload))))).toEqual({ key: native.key, value: native.value });
  });

  it('keeps headers, also of one name and of bytes', () => {
    const headers = { one: Buffer.from('1'), raw: Buffer.from([0xff]), many: [Buffer.from('a'), Buffer.from('b')] };
    expect(messageOf(payloadOf(record('x', { headers }))).headers).toEqual({ one: '1', raw: Buffer.from([0xff]), many: ['a', 'b'] });
  });

  it('is not kept where it is too large', () => {
    expect(payloadOf(record('x'.repeat(LARGEST_BYTES)))).toBeNull();
    // Base64 is a third longer.
    expect(payloadOf(record(Buffer.alloc(LARGEST_BYTES - 1_000, 0xff)))).toBeNull();
    expect(payloadOf(record('x'.repeat(LARGEST_BYTES - 1_000)))).not.toBeNull();
  });

  it.each([[{ to: 'ada' }], [['a']], ['text'], [7]])('of a job that never was one is its JSON: %j', (payload) => {
    expect(messageOf(payload)).toEqual({ value: JSON.stringify(payload), headers: {} });
  });
});
