// Two workers at one job: both write, and one effect is left, that of the newer attempt.
import { createRedisFence } from '@jobwarden/fences';
import { Redis } from 'ioredis';

const redis = new Redis(process.env.REDIS_URL ?? 'redis://127.0.0.1:6379');
const fence = createRedisFence(redis);
const key = `example:invoice-${Date.now()}`;

const say = (written) => (written ? 'written' : 'stale: nothing written');
console.log(`token 8: ${say(await fence.set(key, 'by token 8', 8, { ttlMs: 60_000 }))}`);
console.log(`token 7: ${say(await fence.set(key, 'by token 7', 7, { ttlMs: 60_000 }))}`);

// Lines of Lua of one's own, behind the same fence: here a list that must not get two lines.
const line = await fence.run(`return redis.call('RPUSH', KEYS[2], ARGV[1])`, { keys: [key, `{${key}}:lines`], args: ['by token 7'] }, 7);
console.log(`token 7: ${line === null ? 'the lines have not run' : 'ran'}`);
console.log(`one value: ${await redis.get(key)}`);
await redis.quit();
