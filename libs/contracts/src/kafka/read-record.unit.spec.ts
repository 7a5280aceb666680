import { describe, expect, it } from 'vitest';
import { parseContext } from '../parse/context.js';
import { readKafkaRecord, type KafkaRecord } from './read-record.js';

const context = parseContext({ hashKey: Buffer.alloc(32, 1), transport: 'kafka', limits: { bodyBytes: 1_000 } });
const read = (value: Buffer | string | null, changes: Partial<KafkaRecord> = {}) =>
  readKafkaRecord({ key: null, value: typeof value === 'string' ? Buffer.from(value) : value, headers: {}, ...changes }, context).parsed;

const queued = { specversion: '1.0', id: '1', source: 's', subject: 'j', type: 'jobwarden.job.queued.v1', data: { queue: 'q' } };
const attributes = { ce_specversion: '1.0', ce_id: '1', ce_source: 's', ce_subject: 'j', ce_type: 'jobwarden.job.queued.v1' };

describe('a record', () => {
  it('is an event as JSON, or data with its attributes in headers: the same event', () => {
    const structured = read(JSON.stringify(queued));
    expect(structured).toMatchObject({ ok: true, kind: 'fact', ref: { queue: 'q', id: 'j' } });
    const binary = read('{"queue":"q"}', { headers: { ...attributes, 'content-type': 'application/json' } });
    expect(binary).toMatchObject({ ok: true, kind: 'fact', ref: { queue: 'q', id: 'j' } });
    const plain = read('{"queue":"q"}', { headers: attributes });
    expect(plain).toMatchObject({ ok: true, contentHash: (structured as { contentHash: Buffer }).contentHash });
  });

  it('keeps what stands in a header as it stands: only HTTP escapes it', () => {
    const parsed = read('{"queue":"q"}', { headers: { ...attributes, ce_subject: 'a%2Fb Ã©"' } });
    expect(parsed).toMatchObject({ ok: true, ref: { id: 'a%2Fb Ã©"' } });
  });

  it('cannot reach a prototype by its headers', () => {
    const headers = Object.assign(Object.create(null) as Record<string, string>, attributes, { ce___proto__: 'x' });
    read('{"queue":"q"}', { headers });
    expect(({} as Record<string, unknown>)['x']).toBeUndefined();
    expect(Object.getPrototypeOf({})).toBe(Object.prototype);
  });

  it.each([
    ['no value', null, 'unreadable'],
    ['no JSON', '{', 'unreadable'],
    ['nothing at all', '', 'unreadable'],
    ['no UTF-8', Buffer.from([0x7b, 0xff]), 'unreadable'],
    ['more bytes than are allowed', JSON.stringify({ ...queued, data: { queue: 'q', payload: 'x'.repeat(1_000) } }), 'too_large'],
    ['objects without end', '['.repeat(400) + ']'.repeat(400), 'too_large'],
    ['no event', '42', 'unreadable'],
    ['an unknown type', JSON.stringify({ ...queued, type: 'other.v1' }), 'unknown_type'],
  ])('with %s is never an exception', (_, value, reason) => {
    expect(read(value)).toMatchObject({ ok: false, disposition: 'quarantined', reason });
  });

  it('that cannot be read holds the verdicts on the job that its key names', () => {
    const refs = (key: string | null) => (read('{', { key }) as { refs: unknown }).refs;
    expect(refs('ns/q/a/b')).toEqual([{ namespace: 'ns', queue: 'q', id: 'a/b' }]);
    expect(refs('/q/a')).toMatchObject([{ queue: 'q', id: 'a' }]);
    expect([refs(null), refs('customer-7')]).toEqual([[], []]);
  });
});
