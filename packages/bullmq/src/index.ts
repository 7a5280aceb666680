export { createBullmq, type Bullmq, type BullmqOptions } from './binding.js';
export type { CommandConsumer } from '@jobwarden/client';
export type { ConsumerOptions } from './commands/consume.js';
export type { PutBack } from './commands/put-back.js';
export { OwnersError, type Owner } from './owners/conflict.js';
export { attemptOf, fenceOf, type Fence } from './worker/attempt-of.js';
export type { JobHandler } from './worker/guarded-worker.js';
export { parseRunId, runId, type NativeRun } from './run-id.js';
export * from './tap/index.js';
