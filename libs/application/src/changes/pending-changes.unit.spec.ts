import { describe, expect, it } from 'vitest';
import { PendingChanges } from './pending-changes.js';

const job = (id: string, queue = 'mail', namespace = 'shop') => ({ what: 'job', namespace, queue, id }) as const;

describe('what a reader has yet to be told', () => {
  it('is told once, and then no more', () => {
    const pending = new PendingChanges();
    pending.add(job('1'));
    pending.add(job('1'));
    pending.add({ what: 'run' });
    expect(pending.take()).toEqual([job('1'), { what: 'run' }]);
    expect(pending.empty).toBe(true);
  });

  it('leaves out what a wider note says already', () => {
    const pending = new PendingChanges();
    pending.add({ what: 'job', namespace: 'shop', queue: 'mail' });
    pending.add(job('1'));
    expect(pending.take()).toEqual([{ what: 'job', namespace: 'shop', queue: 'mail' }]);
  });

  it('leaves out ids when there are too many, then queues, then namespaces', () => {
    const pending = new PendingChanges(3);
    for (const id of ['1', '2', '3', '4']) pending.add(job(id));
    expect(pending.take()).toEqual([{ what: 'job', namespace: 'shop', queue: 'mail' }]);
    for (const queue of ['a', 'b', 'c', 'd']) pending.add(job('1', queue));
    expect(pending.take()).toEqual([{ what: 'job', namespace: 'shop' }]);
    for (const namespace of ['a', 'b', 'c', 'd']) pending.add(job('1', 'mail', namespace));
    expect(pending.take()).toEqual([{ what: 'job' }]);
  });

  it('never holds more than it may, whatever comes', () => {
    const pending = new PendingChanges(12);
    for (let i = 0; i < 10_000; i += 1) {
      pending.add(job(String(i), `queue-${String(i % 97)}`, `space-${String(i % 31)}`));
      pending.add({ what: 'queue', namespace: `space-${String(i % 31)}`, queue: `queue-${String(i % 97)}` });
    }
    expect(pending.take().length).toBeLessThanOrEqual(12);
  });
});
