import RequestQueue from 'kafkajs/src/network/requestQueue/index.js';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { mendRequestQueue } from './request-queue.js';

const asShipped = RequestQueue.prototype.scheduleCheckPendingRequests;

/** A connection whose requests go to a list. */
function connection(maxInFlightRequests: number | null = null) {
  const sent: number[] = [];
  const logger = { debug: () => undefined, warn: () => undefined };
  const limits = { maxInFlightRequests, requestTimeout: 30_000, enforceRequestTimeout: false };
  const queue = new RequestQueue({ ...limits, clientId: 'test', broker: 'test:9092', logger });
  return {
    queue,
    sent,
    send: (correlationId: number) =>
      queue.push({
        entry: { correlationId, resolve: () => undefined, reject: () => undefined },
        expectResponse: true,
        sendRequest: () => sent.push(correlationId),
      }),
    answer: (correlationId: number) => queue.fulfillRequest({ correlationId, size: 0, payload: null }),
  };
}

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

test('as shipped, a quiet connection arms a timer that arms the next', () => {
  RequestQueue.prototype.scheduleCheckPendingRequests = asShipped;
  const { send, answer } = connection();
  send(1);
  answer(1);
  for (let n = 0; n < 100; n++) {
    expect(vi.getTimerCount()).toBe(1);
    vi.advanceTimersToNextTimer();
  }
});

describe('mended', () => {
  beforeEach(() => mendRequestQueue());

  test('a quiet connection arms no timer', () => {
    const { send, answer, sent } = connection();
    send(1);
    answer(1);
    expect(sent).toEqual([1]);
    expect(vi.getTimerCount()).toBe(0);
  });

  test('a request that comes while the broker throttles is sent when that ends, and then nothing is armed', () => {
    const { queue, send, sent } = connection();
    queue.maybeThrottle(500);
    expect(vi.getTimerCount()).toBe(0);
    send(1);
    vi.advanceTimersByTime(499);
    expect(sent).toEqual([]);
    vi.advanceTimersByTime(1);
    expect(sent).toEqual([1]);
    expect(vi.getTimerCount()).toBe(0);
  });

  test('throttling that grows meanwhile holds the request back until its new end', () => {
    const { queue, send, sent } = connection();
    queue.maybeThrottle(100);
    send(1);
    queue.maybeThrottle(500);
    vi.advanceTimersByTime(499);
    expect(sent).toEqual([]);
    vi.advanceTimersByTime(1);
    expect(sent).toEqual([1]);
  });

  test('a request over the limit in flight is sent with the next answer', () => {
    const { send, answer, sent } = connection(1);
    send(1);
    send(2);
    expect(sent).toEqual([1]);
    answer(1);
    expect(sent).toEqual([1, 2]);
  });

  test('a closed connection leaves no timer behind', () => {
    const { queue, send } = connection();
    queue.maybeThrottle(500);
    send(1);
    queue.destroy();
    expect(vi.getTimerCount()).toBe(0);
  });
});
