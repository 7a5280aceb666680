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
