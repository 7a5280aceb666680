import { describe, expect, it } from 'vitest';
import { faultsOf } from './owner.js';

const policies = (...items: readonly Readonly<Record<string, string>>[]) => ({
  body: {
    items: items.map((values) => ({ kind: null, values: Object.fromEntries(Object.entries(values).map(([k, value]) => [k, { value }])) })),
  },
});

describe('the policy of a queue that is watched', () => {
  it('is right where the queue owns its recovery and nobody has to claim', () => {
    expect(faultsOf(policies({ owner: 'queue', claims: 'off' }), 'emails', 'BullMQ')).toEqual([]);
  });

  it('says what to write otherwise, also where only one kind of job differs', () => {
    const lines = faultsOf(policies({ owner: 'queue' }, { owner: 'jobwarden', claims: 'required' }), 'e mails', 'BullMQ');
    expect(lines.join('\n')).toContain('owner: jobwarden, but BullMQ itself retries its jobs, and claims: required');
    expect(lines).toContain('  "e mails": {owner: queue, claims: off}');
  });
});
