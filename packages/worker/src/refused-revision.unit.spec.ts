import type { QueueView } from '@jobwarden/client';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { RefusedRevision } from './refused-revision.js';

describe('a release that is out of service', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  let answer: () => Promise<Pick<QueueView, 'refusedRevisions'> | null>;
  const changes: string[] = [];
  function made(revision: string | undefined = 'r2') {
    changes.length = 0;
    const logged: string[] = [];
    const logger = { info: (line: string) => logged.push(line), warn: (line: string) => logged.push(line) };
    const refused = new RefusedRevision({ client: { queue: () => answer() as never }, revision, logger, changed: (queue, state) => changes.push(`${queue} ${state}`) });
    return { refused, logged };
  }

  it('is told once, asked for each second, and let in once the queue says so', async () => {
    answer = () => Promise.resolve({ refusedRevisions: ['r2', 'r9'] });
    const { refused, logged } = made();
    await refused.admitted('q');
    refused.note('q');
    refused.note('q');
    expect([refused.is('q'), refused.is('p'), refused.queues]).toEqual([true, false, ['q']]);
    let admitted = false;
    void refused.admitted('q').then(() => (admitted = true));
    await vi.advanceTimersByTimeAsync(3_000);
    answer = () => Promise.reject(new Error('away'));
    await vi.advanceTimersByTimeAsync(3_000);
    expect([admitted, refused.is('q')]).toEqual([false, true]);
    answer = () => Promise.resolve({ refusedRevisions: ['r9'] });
    await vi.advanceTimersByTimeAsync(1_000);
    expect([admitted, refused.is('q')]).toEqual([true, false]);
    expect(changes).toEqual(['q refused', 'q admitted']);
    expect(logged).toHaveLength(2);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('is none where the worker names no revision, nor once it is closed; and whoever waits is let go then', async () => {
    answer = () => Promise.resolve({ refusedRevisions: ['r2'] });
    const { refused } = made();
    refused.note('q');
    const waits = refused.admitted('q');
    refused.close();
    await waits;
    refused.note('q');
    expect([refused.is('q'), vi.getTimerCount()]).toEqual([false, 0]);
    const none = new RefusedRevision({ client: { queue: () => answer() as never }, revision: undefined, logger: { info: () => 0, warn: () => 0 }, changed: () => undefined });
    none.note('q');
    expect(none.is('q')).toBe(false);
  });
});
