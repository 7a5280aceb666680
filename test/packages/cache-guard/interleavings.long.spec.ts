// I1: read, invalidate and fill in any order, by three replicas that share a second level and have each a stream of their own.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { staleReads, steps, type Run } from './model/world.js';

const runs = Number(process.env['JOBWARDEN_TEST_INTERLEAVINGS'] ?? 10_000);

function holds(of: Omit<Run, 'steps' | 'seed'>, numRuns: number): Promise<void> {
  const property = fc.asyncProperty(steps, fc.nat(), async (todo, seed) => {
    expect(await staleReads({ ...of, steps: todo, seed })).toEqual([]);
  });
  return fc.assert(property, { numRuns, endOnFailure: true });
}

describe('nobody reads a value older than the last invalidation that he has heard or names (I1)', () => {
  it(`in ${runs} random interleavings`, () => holds({}, runs), 120_000);

  it('where the invalidations of a shard come in no order', () => holds({ ordered: false }, runs / 10));

  it('while the second level fails now and then, before or after it has done what was asked', () => holds({ failsOneIn: 7 }, runs / 400));

  it(`of cache-manager's, refreshes in the background among them, in ${runs / 20}`, () => holds({ kind: 'cache-manager' }, runs / 20), 300_000);

  it('or the same test finds it out (twin: cache-manager alone)', async () => {
    await expect(holds({ kind: 'twin: cache-manager alone' }, 2_000)).rejects.toThrow(/Property failed/u);
  });

  // What the second level looks for has a test of its own, step by step: overtaken.unit.spec.ts.
  it('or the same test finds it out (twin: no guard)', async () => {
    await expect(holds({ kind: 'twin: no guard' }, 2_000)).rejects.toThrow(/Property failed/u);
  });
});
