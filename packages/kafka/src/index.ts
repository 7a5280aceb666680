export { createKafka, type KafkaBinding, type KafkaOptions } from './binding.js';
export type { CommandConsumer, ConsumerOptions } from './commands/consume.js';
export type { PutBack } from './commands/put-back.js';
export { OwnersError, type Owner } from './owners/conflict.js';
export { messageOf, type RecordPayload } from './payload.js';
export { parseRunId, runId, type NativeRun } from './run-id.js';
export { ClosedError } from './worker/each-message.js';
export type { RecordHandler } from './worker/look.js';
export type { RunOptions } from './worker/run-consumer.js';
