import { describe, expect, it } from 'vitest';
import { jobKey, lockKey, metaPattern, queueKeys, queueOfMeta, workerOfToken } from './keys.js';

describe('keys of BullMQ', () => {
  it('are named by prefix and queue', () => {
    const keys = queueKeys('emails', '{shop}');
    expect(keys.waitingChildren).toBe('{shop}:emails:waiting-children');
    expect(jobKey(keys, 'repeat:x:1')).toBe('{shop}:emails:repeat:x:1');
    expect(lockKey(keys, '7')).toBe('{shop}:emails:7:lock');
  });

  it('tell the queue from its meta, and a job that is called so from a queue', () => {
    expect(queueOfMeta('bull:emails:meta')).toBe('emails');
    expect(queueOfMeta('bull:emails:repeat:meta')).toBeNull();
    expect(queueOfMeta('bull::meta')).toBeNull();
    expect(queueOfMeta('other:emails:meta')).toBeNull();
  });

  it('are looked for by a prefix that is no pattern itself', () => {
    expect(metaPattern('a*[b]')).toBe(String.raw`a\*\[b\]:*:meta`);
  });
});

describe('the token of a lock', () => {
  it('names its worker', () => {
    expect(workerOfToken('0b2e9c7e-9b7c-4e6e-8d52-0f8d2f1f9a11:17')).toBe('0b2e9c7e-9b7c-4e6e-8d52-0f8d2f1f9a11');
    expect(workerOfToken('my-own-token')).toBeNull();
  });
});
