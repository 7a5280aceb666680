import { QueryClient } from '@tanstack/react-query';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { Invalidation } from './invalidation';

beforeEach(() => void vi.useFakeTimers({ now: 1_000_000 }));
afterEach(() => void vi.useRealTimers());

it('reads again at once what changes after a quiet time, once a second what keeps changing, and the last of it too', async () => {
  const client = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  const reads: number[] = [];
  client.mount();
  await client.query({ queryKey: ['jobs'], queryFn: () => 'first', meta: { changes: [{ what: 'job' }] } });
  const invalidate = vi.spyOn(client, 'invalidateQueries').mockImplementation(({ predicate } = {}) => {
    for (const query of client.getQueryCache().getAll()) {
      if (predicate?.(query) !== true) continue;
      reads.push(Date.now() - 1_000_000);
      query.setData('again');
    }
    return Promise.resolve();
  });
  const invalidation = new Invalidation(client);
  await vi.advanceTimersByTimeAsync(10_000);
  invalidation.take({ what: 'incident' });
  invalidation.take({ what: 'job', id: '1' });
  await vi.advanceTimersByTimeAsync(60);
  expect(reads).toEqual([10_050]);
  for (let i = 0; i < 29; i += 1) {
    invalidation.take({ what: 'job', id: String(i) });
    await vi.advanceTimersByTimeAsync(100);
  }
  await vi.advanceTimersByTimeAsync(5_000);
  expect(reads).toEqual([10_050, 11_050, 12_050, 13_050]);
  invalidation.stop();
  expect(invalidate).toHaveBeenCalled();
  client.unmount();
});

it('reads again once for one change, however long others wait for their turn, and forgets what it was told', async () => {
  const client = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  client.mount();
  const shown = { incidents: 'incident', jobs: 'job', queues: 'queue' } as const;
  const reads = { incidents: 0, jobs: 0, queues: 0 };
  for (const [name, what] of Object.entries(shown)) {
    await client.query({ queryKey: [name], queryFn: () => 'first', meta: { changes: [{ what }], ...(what === 'queue' && { changesEveryMs: 3_000 }) } });
  }
  vi.spyOn(client, 'invalidateQueries').mockImplementation(({ predicate } = {}) => {
    for (const query of client.getQueryCache().getAll()) {
      if (predicate?.(query) !== true) continue;
      reads[query.queryKey[0] as keyof typeof reads] += 1;
      // An answer takes its time.
      setTimeout(() => query.setData('again'), 100);
    }
    return Promise.resolve();
  });
  const invalidation = new Invalidation(client);
  await vi.advanceTimersByTimeAsync(10_000);
  for (let i = 0; i < 120; i += 1) {
    if (i === 3) invalidation.take({ what: 'incident' });
    if (i >= 1) invalidation.take({ what: 'job', id: String(i) });
    invalidation.take({ what: 'queue', queue: String(i) });
    await vi.advanceTimersByTimeAsync(500);
  }
  expect(reads).toEqual({ incidents: 1, jobs: 30, queues: 15 });
  await vi.advanceTimersByTimeAsync(10_000);
  expect([reads, vi.getTimerCount()]).toEqual([{ incidents: 1, jobs: 31, queues: 16 }, 0]);
  invalidation.stop();
  client.unmount();
});
