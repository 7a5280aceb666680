import { redisStore, sseInvalidations } from '@jobwarden/cache-guard';
import { guardCacheManager } from '@jobwarden/cache-guard/cache-manager';
import { createClient, createEmitter } from '@jobwarden/client';
import KeyvRedis from '@keyv/redis';
import { createCache } from 'cache-manager';
import { Keyv } from 'keyv';

const far = new KeyvRedis(process.env.REDIS_URL ?? 'redis://127.0.0.1:6379');
const manager = createCache({ stores: [new Keyv(), new Keyv(far)] });
const client = createClient();
const cache = guardCacheManager(manager, { source: sseInvalidations({ client }), shared: redisStore(await far.getClient()) });
await cache.ready;

let total = 1; // stands for a database
const key = `invoice-total-${Date.now()}`;
const read = () => cache.wrap(key, async () => total, { ttl: 60_000, refreshThreshold: 10_000, tags: ['invoices'] });
const before = await read();

// Somebody's job changes it, and says so.
total = 2;
const emitter = createEmitter({ client, source: 'shop' });
await emitter.ask({ type: 'succeeded', queue: 'invoices', jobId: key, data: { invalidates: { tags: ['invoices'] } } });

let after = await read();
while (after === before) after = await new Promise((resolve) => setTimeout(() => resolve(read()), 20));
console.log(`before: ${before}, after: ${after}`);

await cache.close();
await emitter.close();
await manager.disconnect();
