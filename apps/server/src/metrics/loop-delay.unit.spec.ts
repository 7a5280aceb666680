import { afterEach, expect, it, vi } from 'vitest';
import { createMetrics } from '#libs/observability';
import { LoopDelay } from './loop-delay.js';

afterEach(() => vi.useRealTimers());

it('a loop that is held up shows by how late its timer runs, and by nothing once it is stopped', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] });
  const metrics = createMetrics({ process: false });
  const figure = async (of: string) => Number(new RegExp(`jobwarden_event_loop_delay_seconds_${of} (.+)`, 'u').exec(await metrics.registry.metrics())?.[1]);
  const delay = new LoopDelay(metrics);
  delay.start();
  delay.start();
  vi.advanceTimersByTime(1_000);
  expect([await figure('count'), await figure('sum')]).toEqual([10, 0]);
  const real = performance.now.bind(performance);
  vi.spyOn(performance, 'now').mockImplementation(() => real() + 400);
  vi.advanceTimersByTime(100);
  vi.restoreAllMocks();
  expect(await figure('sum')).toBeCloseTo(0.4);
  delay.stop();
  vi.advanceTimersByTime(1_000);
  expect(await figure('count')).toBe(11);
});
