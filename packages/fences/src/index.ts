export { StaleTokenError } from './stale-token-error.js';
export { POSTGRES_FENCE_SQL } from './postgres/install-sql.js';
export { installPostgresFence, postgresFence, postgresFenceHolds, type PgQueryable } from './postgres/postgres-fence.js';
export type { IoredisClient, NodeRedisClient, RedisClient } from './redis/client.js';
export { fenceKey } from './redis/fence-key.js';
export { createRedisFence, type FencedScript, type RedisFence, type RedisFenceOptions, type WriteOptions } from './redis/redis-fence.js';
export {
  checkFence,
  FENCING_HEADER,
  fencingHeaders,
  staleRefusal,
  tokenOfRequest,
  type Refusal,
  type RequestHeaders,
  type TokenOfRequest,
} from './http/fencing-header.js';
export { createMemoryFence, type MemoryFence } from './memory-fence.js';
