export { observeBullmq, type BullmqTapStatus, type ObserveBullmqOptions } from './tap/observe.js';
export { ObserveError } from './tap/connection.js';
export type { TapFact } from './tap/facts.js';
export type { Beat, KnownRun, KnownRuns, Sink } from './tap/sink.js';
