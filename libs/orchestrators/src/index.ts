// Worker pools that are no Deployments: an operator's own commands, and a simulation for trials and tests.
export { CommandOrchestrator, type CommandOrchestratorOptions, type OrchestratorCommands } from './command/command-orchestrator.js';
export { SimulatedOrchestrator, type SimulatedOptions } from './simulated/simulated-orchestrator.js';
export { fileStore, memoryStore, type SimulatedStore } from './simulated/store.js';
export { simulatedPool, type SimulatedFault, type SimulatedPool, type SimulatedPoolOptions } from './simulated/pool.js';
export { wish as somebodyWishes } from './simulated/step.js';
