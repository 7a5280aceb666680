// The pool that the pure tests of a run are driven against is believed because it keeps what the real ones keep. What a run never meets there, since it looks and
// acts in one go, is this adapter's own: a look that is old, a name that is none, a call that hangs.
import { OrchestratorError, type Applied, type ApplyOptions, type Orchestrator, type OrchestratorFailure } from '#libs/application';
import { orchestratorContract, type ContractPool, type PoolOptions } from '../../../../test/orchestrators/contract.js';
import type { WorkloadSeen, WorkloadWanted } from '../rollout/workload.js';
import { fails, RunWorld } from './run.fixture.js';

class OfRunWorlds implements Orchestrator {
  readonly kind = 'simulated';
  readonly worlds = new Map<string, RunWorld>();
  readonly hanging = new Set<string>();

  observe(target: string): Promise<WorkloadSeen> {
    return this.on(target, 'look', ({ workload }) => structuredClone({ ...workload, target }));
  }

  apply(target: string, wanted: WorkloadWanted, seen: WorkloadSeen, { dryRun = false, mayWrite }: ApplyOptions): Promise<Applied> {
    return this.on(target, 'write', async (world) => {
      const before = world.workload;
      if (wanted.releaseId !== undefined && !before.releases.some(({ id }) => id === wanted.releaseId)) throw new OrchestratorError('not_found', 'there is no such release');
      if (mayWrite !== undefined && !(await mayWrite())) throw new OrchestratorError('conflict', 'it is not to be written any more');
      world.written('jobwarden', wanted);
      const after = world.workload;
      const changes = after.generation !== before.generation;
      const old = changes && before.generation !== seen.generation;
      if (dryRun || old) world.workload = before;
      if (old) throw new OrchestratorError('conflict', 'somebody else has written');
      const writes = Number(changes) + Number(after.scaler?.paused !== before.scaler?.paused);
      const { generation, version } = world.workload;
      return { changed: writes > 0, generation, version, writes: dryRun ? 0 : writes };
    });
  }

  private async on<T>(target: string, does: 'look' | 'write', then: (world: RunWorld) => T | Promise<T>): Promise<T> {
    if (!/^[\w-]+\/[\w-]+$/.test(target)) throw new OrchestratorError('unsupported', `${target} is no target`);
    if (this.hanging.has(target)) throw new OrchestratorError('timed_out', 'no answer');
    const world = this.worlds.get(target);
    if (world === undefined) throw new OrchestratorError('not_found', `there is no ${target}`);
    const fault = world.fault(does);
    if (fault !== null) throw new OrchestratorError(fault.code as OrchestratorFailure, fault.detail, { retryAfterMs: fault.retryAfterMs });
    world.pass(0);
    return await then(world);
  }
}

orchestratorContract('the pool of the tests of a run', () => {
  const orchestrator = new OfRunWorlds();
  const make = ({ broken, keda = false, stopMs = 0 }: PoolOptions = {}): { readonly world: RunWorld; readonly target: string } => {
    const world = new RunWorld();
    const target = `shop/workers-${String(orchestrator.worlds.size)}`;
    world.workload = {
      ...world.workload,
      releases: world.workload.releases.filter(({ revision }) => revision !== 'v0'),
      ...(keda && { scaler: { kind: 'keda', name: 'workers', min: 1, max: 9, paused: false } }),
    };
    world.pool.stopMs = stopMs;
    world.pool.broken = broken === undefined ? [] : [broken];
    orchestrator.worlds.set(target, world);
    return { world, target };
  };
  const pool = (options?: PoolOptions): ContractPool => {
    const { world, target } = make(options);
    return {
      target,
      write: (by, { revision, ...wish }) => {
        world.written(by, { ...wish, ...(revision !== undefined && { releaseId: `workers-${revision}` }) });
        return Promise.resolve();
      },
      until: async (what, holds) => {
        for (let looks = 0; looks < 1_000; looks++) {
          const seen = await orchestrator.observe(target);
          if (holds(seen)) return seen;
          world.pass(100);
        }
        throw new Error(`not seen: ${what}`);
      },
      halt: () => {
        world.lagMs = Infinity;
        return Promise.resolve(() => world.pool.goOn(world.nowMs));
      },
    };
  };
  const failing = (fault: RunWorld['fault']) => {
    const { world, target } = make();
    world.fault = fault;
    return { orchestrator, target };
  };
  return Promise.resolve({
    orchestrator,
    pool: (options) => Promise.resolve(pool(options)),
    unknownTarget: 'shop/nobody',
    hanging: () => {
      const { target } = make();
      orchestrator.hanging.add(target);
      return Promise.resolve({ orchestrator, target });
    },
    mayOnlyLook: () => Promise.resolve(failing((what) => (what === 'write' ? fails('forbidden') : null))),
    throttled: () => Promise.resolve({ ...failing(() => fails('throttled', { retryAfterMs: 2_000 })), retryAfterMs: 2_000 }),
    close: () => Promise.resolve(),
  });
});
