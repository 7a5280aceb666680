// Without the queue's own library: a tap speaks to Redis or PostgreSQL alone.
export { ObserveError } from './connection.js';
export { observeBullmq, type BullmqTapStatus, type ObserveBullmqOptions } from './observe.js';
