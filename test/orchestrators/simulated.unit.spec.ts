import { memoryStore, simulatedPool, SimulatedOrchestrator, type SimulatedFault, type SimulatedPool } from '#libs/orchestrators';
import { orchestratorContract, type ContractPool, type PoolOptions } from './contract.js';
import { changePool, manualClock, untilSeen } from './simulated-pools.js';

orchestratorContract('the simulated one', () => {
  const store = memoryStore();
  const clock = manualClock();
  const orchestrator = new SimulatedOrchestrator({ store, now: clock.now, timeoutMs: 200 });
  let made = 0;
  const change = (name: string, changes: (pool: SimulatedPool) => Partial<SimulatedPool>): void => {
    const pool = store.load()[name]!;
    store.save({ ...store.load(), [name]: { ...pool, ...changes(pool) } });
  };
  const pool = ({ broken, keda = false, stopMs }: PoolOptions = {}, faults: readonly SimulatedFault[] = []): ContractPool => {
    const name = `pool-${String(made++)}`;
    const scaler = keda ? { scaler: { kind: 'keda', name, min: 1, max: 9, paused: false } as const } : {};
    const timing = stopMs === undefined ? {} : { stopMs };
    store.save({ ...store.load(), [name]: { ...simulatedPool({ nowMs: clock.now(), broken: broken === undefined ? [] : [broken], timing, ...scaler }), faults } });
    const target = `simulated:${name}`;
    return {
      target,
      write: (by, wish) => {
        changePool(store, name, clock.now(), by, wish);
        return Promise.resolve();
      },
      until: (what, holds) => untilSeen(what, { orchestrator, target, clock }, holds),
      halt: () => {
        change(name, ({ timing: times }) => ({ timing: { ...times, readMs: Infinity } }));
        return Promise.resolve(() => change(name, ({ timing: times }) => ({ timing: { ...times, readMs: 100 } })));
      },
    };
  };
  const failing = (...faults: readonly SimulatedFault[]) => ({ orchestrator, target: pool({}, faults).target });
  const throttled = { code: 'throttled', retryAfterMs: 2_000 } as const;
  return Promise.resolve({
    orchestrator,
    pool: (options) => Promise.resolve(pool(options)),
    unknownTarget: 'simulated:nobody',
    hanging: () => Promise.resolve(failing({ delayMs: 60_000 }, { delayMs: 60_000 })),
    mayOnlyLook: () => Promise.resolve(failing({ verb: 'apply', code: 'forbidden' })),
    throttled: () => Promise.resolve({ ...failing(throttled, throttled), retryAfterMs: 2_000 }),
    close: () => Promise.resolve(),
  });
});
