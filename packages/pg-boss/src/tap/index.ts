// Without the queue's own library: a tap speaks to Redis or PostgreSQL alone.
export { ObserveError } from './connection.js';
export { observePgBoss, type ObservePgBossOptions, type PgBossTapStatus } from './observe.js';
