import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fails, RunWorld } from './run.fixture.js';

const CODES = ['unreachable', 'timed_out', 'throttled', 'conflict', 'rejected', 'forbidden'] as const;

/** A run under faults and kills drawn one after the other; once they are used up everything works. */
const trouble = fc.record({
  scaleToZero: fc.boolean(),
  keda: fc.boolean(),
  target: fc.boolean(),
  lostAnswers: fc.boolean(),
  faults: fc.array(fc.option(fc.constantFrom(...CODES), { freq: 2 }), { maxLength: 40 }),
  kills: fc.array(fc.boolean(), { maxLength: 60 }),
  abortAt: fc.option(fc.integer({ min: 2, max: 25 }), { freq: 4 }),
  lagMs: fc.constantFrom(0, 3_000, 60_000, 119_000, 200_000),
  stopMs: fc.constantFrom(0, 4_000, 30_000),
  leases: fc.boolean(),
});
type Trouble = typeof trouble extends fc.Arbitrary<infer T> ? T : never;

function worldOf({ scaleToZero, keda, target, lostAnswers, faults, lagMs, stopMs, leases }: Trouble): RunWorld {
  const world = new RunWorld({ target: target ? 'shop/workers' : null }, { scaleToZero });
  world.lostAnswers = lostAnswers;
  world.lagMs = lagMs;
  world.pool.stopMs = stopMs;
  world.leasesUntilMs = leases ? Infinity : 0;
  if (keda) world.workload = { ...world.workload, scaler: { kind: 'keda', name: 'workers', min: 1, max: 10, paused: false } };
  const left = [...faults];
  world.fault = () => {
    const code = left.shift() ?? null;
    return code === null ? null : fails(code, { retryAfterMs: code === 'throttled' ? 7_000 : null });
  };
  return world;
}

function run(world: RunWorld, { kills, abortAt }: Trouble): string {
  const left = [...kills];
  const crash = () => left.shift() ?? false;
  if (abortAt === null) return world.run({ crash });
  world.run({ crash, until: (w) => w.steps.length >= abortAt });
  if (world.standing.over) return 'over';
  world.says('aborted');
  return world.run({ crash });
}

function expectBounded(world: RunWorld): void {
  for (const atMs of world.writes) {
    const within = world.writes.filter((other) => other > atMs - 60_000 && other <= atMs).length;
    expect(within * 2).toBeLessThanOrEqual(world.policy.writesPerMinute);
  }
  for (const tries of world.tries.values()) expect(tries.length).toBeLessThanOrEqual(3);
}

describe('whatever fails and whoever is killed', () => {
  it('a run ends with a person or is over, within its writes, and with the replicas of before', () => {
    fc.assert(
      fc.property(trouble, (drawn) => {
        const world = worldOf(drawn);
        const end = run(world, drawn);
        expect(['over', 'rest']).toContain(end);
        expect(end === 'rest').toBe(world.steps.at(-1)?.type === 'escalated');
        expectBounded(world);
        const told = world.steps.at(-1)?.evidence;
        if (told?.['notPutBack'] === undefined) {
          expect(world.workload.wanted).toBe(3);
          expect(world.workload.scaler?.paused ?? false).toBe(false);
        }
        expect(world.steps.length).toBeLessThan(150);
      }),
      { numRuns: 1_500 },
    );
  });

  it('the end is the same as without a kill, where nothing else fails', () => {
    fc.assert(
      fc.property(fc.array(fc.boolean(), { maxLength: 40 }), fc.boolean(), (kills, scaleToZero) => {
        const world = new RunWorld({}, { scaleToZero });
        // Not the same act three times in a row: that is a fault of its own.
        const left = [...kills];
        let inARow = 0;
        const crash = () => {
          const killed = inARow < 2 && (left.shift() ?? false);
          inARow = killed ? inARow + 1 : 0;
          return killed;
        };
        const end = world.run({ crash });
        if (end === 'over') expect(world.workload).toMatchObject({ revision: 'v1', wanted: 3, available: 3 });
        else expect(world.steps.at(-1)?.evidence?.['code']).toBe('step_repeated');
        expect(world.workload.wanted).toBe(3);
        expectBounded(world);
      }),
      { numRuns: 500 },
    );
  });

  it('a person’s approval lets it go on to its end, once nothing fails any more', () => {
    fc.assert(
      fc.property(trouble, (drawn) => {
        const world = worldOf({ ...drawn, lagMs: 3_000 });
        let end = run(world, { ...drawn, abortAt: null });
        world.fault = () => null;
        for (let words = 0; words < 3 && end === 'rest'; words += 1) {
          world.leasesUntilMs = 0;
          world.says('approved');
          end = world.run();
        }
        expect(end).toBe('over');
        expect(world.workload.wanted).toBe(3);
        if (drawn.target) expect(world.workload.revision).toBe('v1');
        expect(world.workload.scaler?.paused ?? false).toBe(false);
      }),
      { numRuns: 500 },
    );
  });
});
