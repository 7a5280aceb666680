import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { eventKey, incidentKey, incidentMessagesKey, jobKey, shardOf } from './keys.js';

const hostile = [
  'a:b',
  'a/b',
  'a%2Fb',
  '../a',
  'a b',
  ' ',
  '🦊',
  'é',
  'e\u0301',
  '"',
  "'",
  '\\',
  '1:a',
  '2:ab',
  'default',
  'x'.repeat(512),
  'x'.repeat(511),
  `${'x'.repeat(511)}y`,
];
const part = fc.oneof(fc.constantFrom(...hostile), fc.string({ unit: 'grapheme', minLength: 1, maxLength: 40 }));
const ref = fc.record({ namespace: part, queue: part, id: part });

describe('keys', () => {
  it('gives each of many hostile ids a key of its own', () => {
    const refs = hostile.flatMap((queue) => hostile.map((id) => ({ namespace: 'default', queue, id })));
    expect(new Set(refs.map((r) => jobKey(r).toString('hex'))).size).toBe(refs.length);
  });

  it('tells parts apart that read the same side by side', () => {
    const key = (queue: string, id: string) => jobKey({ namespace: 'n', queue, id }).toString('hex');
    expect(key('a', 'bc')).not.toBe(key('ab', 'c'));
    expect(key('a', '1:b')).not.toBe(key('a1:', 'b'));
    expect(eventKey('a', 'bc').equals(eventKey('ab', 'c'))).toBe(false);
  });

  it('is equal exactly for equal refs', () => {
    fc.assert(
      fc.property(ref, ref, (a, b) => {
        const same = a.namespace === b.namespace && a.queue === b.queue && a.id === b.id;
        expect(jobKey(a).equals(jobKey(b))).toBe(same);
        expect(jobKey({ ...a }).equals(jobKey(a))).toBe(true);
      }),
    );
  });

  it('has 16 bytes and never changes: rows are found by it', () => {
    expect(jobKey({ namespace: 'default', queue: 'emails', id: 'welcome/8412' }).toString('hex')).toBe(
      'e6163f08b396f07b4bd804eb0498abe9',
    );
    expect(eventKey('/services/mailer', 'queued-1').toString('hex')).toBe('fbc8ccad5dc59712e652ae239c553163');
    expect(shardOf(jobKey({ namespace: 'default', queue: 'emails', id: 'welcome/8412' }), 16)).toBe(8);
  });

  it('tells incidents apart by kind, subject and queue, and has never the key of a job', () => {
    const queue = { namespace: 'default', queue: 'emails' };
    const keys = [
      incidentKey({ kind: 'blackout', subject: 'a' }),
      incidentKey({ kind: 'lane_out_of_range', subject: 'a' }),
      incidentKey({ kind: 'lane_out_of_range', subject: 'b' }),
      incidentKey({ kind: 'lane_out_of_range', subject: 'a', queue }),
      incidentMessagesKey('17'),
      incidentMessagesKey('18'),
      jobKey({ ...queue, id: 'a' }),
      jobKey({ namespace: 'incident', queue: 'lane_out_of_range', id: 'a' }),
    ];
    expect(new Set(keys.map((key) => key.toString('hex'))).size).toBe(keys.length);
    expect(keys[1]?.toString('hex')).toBe('485c2d9f436702aef1ee63757dc2cc75');
  });

  it('spreads jobs evenly over the shards', () => {
    const counts = Array.from({ length: 16 }, () => 0);
    for (let i = 0; i < 16_000; i += 1) {
      const shard = shardOf(jobKey({ namespace: 'default', queue: 'emails', id: String(i) }), 16);
      counts[shard] = (counts[shard] ?? 0) + 1;
    }
    expect(Math.min(...counts)).toBeGreaterThan(850);
    expect(Math.max(...counts)).toBeLessThan(1_150);
  });

  it('stays within the shards for every key, the one with the highest bit too', () => {
    expect(shardOf(Uint8Array.of(0xff, 0xff, 0xff, 0xff), 16)).toBe(15);
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 16, maxLength: 16 }), fc.integer({ min: 1, max: 1_024 }), (key, shards) => {
        const shard = shardOf(key, shards);
        expect(Number.isInteger(shard) && shard >= 0 && shard < shards).toBe(true);
      }),
    );
  });
});
