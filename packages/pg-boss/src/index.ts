export { createPgBoss, type JobwardenPgBoss, type PgBossOptions } from './binding.js';
export type { CommandConsumer } from '@jobwarden/client';
export type { ConsumerOptions } from './commands/consume.js';
export type { PutBack } from './commands/putting-back.js';
export type { Stopped } from './commands/stop.js';
export { OwnersError, type Owner } from './owners/conflict.js';
export type { JobHandler } from './worker/run-job.js';
export { parseRunId, runId, type NativeRun } from './run-id.js';
export * from './tap/index.js';
