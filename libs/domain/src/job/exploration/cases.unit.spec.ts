import { describe, expect, it } from 'vitest';
import { anomaliesOf } from '../view/anomalies.js';
import { contributionOf } from '../view/contribution.js';
import { planOf } from '../plan/plan.js';
import { stateToJson } from '../fold/state-json.js';
import { subjectOf } from '../plan/subject.fixture.js';
import { SOUND, World, type Rules, type Sent } from './world.fixture.js';

function worldWith(over: Partial<Rules> = {}): World {
  const world = new World({ ...SOUND, ...over });
  world.buffered = [];
  world.commands = [];
  return world;
}

function receive(world: World, ...events: readonly Sent[]): void {
  for (const event of events) {
    world.nowMs += 1;
    world.receive(event);
  }
}

/** Waits for what the job waits for, and decides it. */
function decideNext(world: World): void {
  world.nowMs = Math.max(world.nowMs, world.plan()?.dueMs ?? 0);
  const plan = world.due();
  if (plan === null) throw new Error(`nothing is due while ${world.view.status}`);
  world.read(plan);
  for (const pending of [...world.pending]) world.append(pending);
}

function permutations<T>(items: readonly T[]): T[][] {
  if (items.length < 2) return [[...items]];
  return items.flatMap((item, i) => permutations(items.toSpliced(i, 1)).map((rest) => [item, ...rest]));
}

const worker = { id: 'w1' };
const common = { source: 'app', laneMs: 0, attempt: 1, worker };
const queued: Sent = { type: 'queued', source: 'app', id: '1', laneMs: 0 };
const started: Sent = { type: 'started', id: '2', ...common };
const heartbeat: Sent = { type: 'heartbeat', id: '3', ...common };
const succeeded: Sent = { type: 'succeeded', id: '4', ...common, durationMs: 40 };
const failed: Sent = { type: 'failed', id: '5', ...common, retryable: true, error: { class: 'E', message: 'e' } };

describe('the order in which reports arrive', () => {
  it('of queued, started, heartbeat and succeeded makes no difference to status and counters, in all 24 (E6)', () => {
    const orders = permutations([queued, started, heartbeat, succeeded]);
    const ends = orders.map((order) => {
      const world = worldWith();
      receive(world, ...order);
      return { status: world.view.status, counters: contributionOf(world.state, world.view) };
    });
    expect(ends).toHaveLength(24);
    expect(ends[0]).toMatchObject({ status: 'succeeded', counters: { succeeded: 1, anomalies: 0 } });
    for (const end of ends) expect(end).toEqual(ends[0]);
  });

  it('of failed and succeeded makes none either, and one conflict is recorded (E5)', () => {
    for (const order of permutations([queued, started, failed, succeeded])) {
      const world = worldWith();
      receive(world, ...order, failed, succeeded);
      expect(world.view.status).toBe('succeeded');
      expect(anomaliesOf(world.state)).toEqual([{ code: 'failed_and_succeeded', attempt: 1 }]);
    }
  });

  it('puts nothing after the end: a heartbeat that is stored late leaves the job succeeded and without a plan (E7)', () => {
    const world = worldWith();
    receive(world, queued, started, succeeded);
    const before = stateToJson(world.state);
    receive(world, heartbeat);
    expect(stateToJson(world.state)).toBe(before);
    expect(world.view.status).toBe('succeeded');
    const withLease = subjectOf(world.log, { lease: { beatMs: world.nowMs, leaseMs: 300 } });
    expect(planOf(withLease, world.nowMs)).toBeNull();
  });

  it('makes the first heartbeat the start where no start was seen, but not after its end', () => {
    const world = worldWith();
    receive(world, queued, heartbeat);
    expect(world.view.status).toBe('processing');
    const late = worldWith();
    receive(late, queued, failed, heartbeat);
    expect(late.state.attempts.get(1)?.starts).toEqual([]);
  });
});

describe('attempt 1 stalls, attempt 2 succeeds, then attempt 1 reports success as well (B2)', () => {
  const quick = { ...common, attempt: 2, worker: { id: 'quick' } };
  const second: readonly Sent[] = [
    { type: 'started', id: '6', ...quick },
    { type: 'succeeded', id: '7', ...quick },
  ];

  it('observed, it is kept, and one anomaly names both workers', () => {
    const world = worldWith();
    receive(world, queued, started);
    decideNext(world);
    decideNext(world);
    receive(world, ...second, succeeded);
    expect(world.view).toMatchObject({ status: 'succeeded', attempt: 2 });
    expect(anomaliesOf(world.state)).toEqual([
      { code: 'two_successes', attempt: 0, workers: [{ id: 'w1' }, { id: 'quick' }] },
    ]);
  });

  it('with claims, it is refused and kept, and the row stays as it was', () => {
    const world = worldWith({ mode: 'claims' });
    receive(world, queued);
    world.take(0, { kind: 'enqueue', attempt: 1 });
    decideNext(world);
    decideNext(world);
    world.take(1, { kind: 'enqueue', attempt: 2 });
    receive(world, { type: 'succeeded', id: '7', ...quick, token: 2 }, { ...succeeded, token: 1 });
    expect(world.view.status).toBe('succeeded');
    expect(anomaliesOf(world.state)).toEqual([]);
    expect(world.state.attempts.get(1)?.outcome).toBeNull();
    expect(world.decisions.at(-1)).toMatchObject({ kind: 'write-refused', attempt: 1, answers: { id: '4' } });
  });
});
