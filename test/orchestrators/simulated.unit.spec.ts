import { memoryStore, simulatedPool, SimulatedOrchestrator } from '#libs/orchestrators';
import { orchestratorContract, type ContractPool } from './contract.js';
import { changePool, manualClock, untilSeen } from './simulated-pools.js';

orchestratorContract('the simulated one', () => {
  const store = memoryStore();
  const clock = manualClock();
  const orchestrator = new SimulatedOrchestrator({ store, now: clock.now, timeoutMs: 200 });
  let made = 0;
  const pool = (more: Parameters<typeof simulatedPool>[0] = {}): ContractPool => {
    const name = `pool-${String(made++)}`;
    store.save({ ...store.load(), [name]: simulatedPool({ nowMs: clock.now(), ...more }) });
    const target = `simulated:${name}`;
    return {
      target,
      write: (by, wish) => {
        changePool(store, name, clock.now(), by, wish);
        return Promise.resolve();
      },
      until: (what, holds) => untilSeen(what, { orchestrator, target, clock }, holds),
    };
  };
  return Promise.resolve({
    orchestrator,
    pool: ({ broken } = {}) => Promise.resolve(pool({ broken: broken === undefined ? [] : [broken] })),
    unknownTarget: 'simulated:nobody',
    hanging: () => {
      const { target } = pool();
      const name = target.slice('simulated:'.length);
      const hangs = { delayMs: 60_000 };
      store.save({ ...store.load(), [name]: { ...store.load()[name]!, faults: [hangs, hangs] } });
      return Promise.resolve({ orchestrator, target });
    },
    close: () => Promise.resolve(),
  });
});
