import { describe, expect, it } from 'vitest';
import { entryWithout } from './without.js';

describe('an entry of the quarantine that lists several jobs', () => {
  const ref = { namespace: 'default', queue: 'q', id: 'erased' };
  const entry = (own: string) => `{"data":{"jobs":[{"queue":"q","id":"erased"${own}},{"queue":"q","id":"other","progress":12345678901234567890}]}}`;

  it('loses what it says of the erased one, and no digit of the others', () => {
    expect(entryWithout(Buffer.from(entry(',"progress":"secret"')), ref)?.toString()).toBe(entry(''));
    expect(entryWithout(Buffer.from(entry('')), ref)).toBeNull();
  });
});
