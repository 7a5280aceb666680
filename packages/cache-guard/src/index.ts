export { createCacheGuard, type CacheGuard, type CacheGuardOptions, type CacheGuardStats } from './cache-guard.js';
export type { CacheOptions, GetOptions } from './cache.js';
export type { Guard } from './guard.js';
export type { Invalidation, InvalidationSource, LogPosition, SourceItem } from './invalidation.js';
export { memoryStore, type MemoryStoreOptions } from './shared/memory-store.js';
export { redisStore, type RedisClient, type RedisStoreOptions } from './shared/redis-store.js';
export type { AppliedInvalidation, FoundEntry, SharedEntry, SharedStore, SourcePosition, Stamp } from './shared/shared-store.js';
export { sseInvalidations, type SseOptions, type StreamingClient } from './sources/sse.js';
