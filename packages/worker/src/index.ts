export { createWorker, type JobWorker } from './worker.js';
export type { WorkerOptions } from './options.js';
export type { Handler, Job, RunResult, RunSpec, StopReason } from './spec.js';
export { HardTimeoutError, InvalidPayloadError, QueueClosedError, RetryLaterError, StoppedError, TerminalError } from './errors.js';
export type { Classified, Classify } from './failure.js';
export { queuedData, type QueuedSpec } from './queued.js';
export type { LockLike, PoolLike } from './watched.js';
export type { Metrics, SpanEnd, SpanOf, Tracing } from './hooks.js';
export { redactSecrets } from './redact.js';
