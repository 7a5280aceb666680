import { EventEmitter } from 'node:events';
import type { FastifyRequest } from 'fastify';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { discard } from './list-body.js';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** A request whose list has not come whole yet. */
function arriving() {
  const raw = Object.assign(new EventEmitter(), { complete: false, resume: vi.fn(), destroy: vi.fn() });
  discard({ raw } as unknown as FastifyRequest);
  return raw;
}

describe('the rest of a list that nobody wants', () => {
  it('is read for a while, then its connection is cut off', () => {
    const raw = arriving();
    vi.advanceTimersByTime(4_999);
    expect(raw.resume).toHaveBeenCalledOnce();
    expect(raw.destroy).not.toHaveBeenCalled();
    vi.advanceTimersByTime(1);
    expect(raw.destroy).toHaveBeenCalledOnce();
  });

  it('leaves the connection to the next request once it has come', () => {
    const raw = arriving();
    raw.complete = true;
    vi.advanceTimersByTime(60_000);
    expect(raw.destroy).not.toHaveBeenCalled();
  });
});
