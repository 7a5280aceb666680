import { describe, expect, it } from 'vitest';
import type { WorkloadSeen } from '#libs/domain';
import { simulatedPool, type SimulatedFault, type SimulatedPoolOptions } from './pool.js';
import { SimulatedOrchestrator } from './simulated-orchestrator.js';
import { stepTo } from './step.js';
import { memoryStore } from './store.js';

const signal = new AbortController().signal;

function world(options: SimulatedPoolOptions = {}, faults: readonly SimulatedFault[] = []) {
  let ms = 1_000_000;
  const store = memoryStore({ mail: { ...simulatedPool({ nowMs: ms, ...options }), faults } });
  const orchestrator = new SimulatedOrchestrator({ store, now: () => ms, timeoutMs: 50 });
  const look = () => orchestrator.observe('simulated:mail', signal);
  const after = (more: number) => {
    ms += more;
    return look();
  };
  const back = (seen: WorkloadSeen) => orchestrator.apply('simulated:mail', { releaseId: 'release-v1', replicas: 3 }, seen, { signal });
  return { orchestrator, look, after, back };
}

describe('a simulated pool', () => {
  it('does what it does at its times, however often it is looked at', () => {
    const pool = simulatedPool();
    const wished = { ...pool, release: 'release-v1', generation: 2, wishedMs: 0 };
    const often = Array.from({ length: 40 }, (_, i) => (i + 1) * 50).reduce(stepTo, wished);
    expect(often).toEqual(stepTo(wished, 2_000));
  });

  it('shows counters of the wish before for a while, and stops pods slowly', async () => {
    const { look, after, back } = world({ timing: { readMs: 1_000, stopMs: 5_000 } });
    await back(await look());
    expect(await after(500)).toMatchObject({ revision: 'v1', updated: 3, available: 3, generation: 2, observedGeneration: 1 });
    const out = await after(4_000);
    expect(out).toMatchObject({ updated: 3, replicas: 3, available: 3, observedGeneration: 2 });
    expect(out.pods.filter((pod) => pod.terminating && pod.revision === 'v2').length).toBeGreaterThan(0);
    expect((await after(6_000)).pods.map((pod) => pod.revision)).toEqual(['v1', 'v1', 'v1']);
  });

  it('is reverted by a field manager as often as it is told to', async () => {
    const { look, after, back } = world({ reverts: { manager: 'argocd-controller', release: 'release-v2', afterMs: 10_000, times: 1 } });
    await back(await look());
    expect(await after(5_000)).toMatchObject({ revision: 'v1' });
    const reverted = await after(10_000);
    expect(reverted).toMatchObject({ revision: 'v2', writers: { release: { manager: 'argocd-controller' } } });
    await back(reverted);
    expect(await after(60_000)).toMatchObject({ revision: 'v1' });
  });

  it('is brought back from 0 by KEDA unless that is paused', async () => {
    const keda = { kind: 'keda', name: 'mail', min: 1, max: 9, paused: false } as const;
    const bounced = world({ scaler: keda });
    await bounced.orchestrator.apply('simulated:mail', { replicas: 0 }, await bounced.look(), { signal });
    expect(await bounced.after(1_000)).toMatchObject({ wanted: 1, writers: { replicas: { manager: 'keda-operator' } } });
    const held = world({ scaler: keda });
    expect(await held.orchestrator.apply('simulated:mail', { replicas: 0, pauseScaler: true }, await held.look(), { signal })).toMatchObject({ writes: 2 });
    expect(await held.after(60_000)).toMatchObject({ wanted: 0, pods: [], scaler: { paused: true } });
  });

  it('gives a rollout up that does not end', async () => {
    const { look, after, back } = world({ broken: ['v1'], timing: { deadlineMs: 10_000 } });
    await back(await look());
    expect((await after(9_000)).failure).toBeNull();
    expect((await after(2_000)).failure).toBe('ProgressDeadlineExceeded');
  });
});

describe('faults', () => {
  it('come one a call, of the kind and for the verb that was said', async () => {
    const { look, back } = world({}, [{ verb: 'apply', code: 'throttled', retryAfterMs: 7_000 }, { code: 'unreachable' }, { delayMs: 60_000 }]);
    await expect(look()).rejects.toMatchObject({ code: 'unreachable' });
    await expect(look()).rejects.toMatchObject({ code: 'timed_out' });
    const seen = await look();
    await expect(back(seen)).rejects.toMatchObject({ code: 'throttled', retryAfterMs: 7_000 });
    expect(await back(seen)).toMatchObject({ changed: true });
  });

  it('may come after the write: its answer is lost, and it stands', async () => {
    const { look, back } = world({}, [{ verb: 'apply', code: 'unreachable', afterwards: true }]);
    const seen = await look();
    await expect(back(seen)).rejects.toMatchObject({ code: 'unreachable' });
    expect(await look()).toMatchObject({ revision: 'v1' });
    expect(await back(seen)).toMatchObject({ changed: false, writes: 0 });
  });
});
