// A worker of a queue in a process of its own, to be killed, or stopped and let go on. Its settings come as JSON.
//
// A job says in `data.hangs` in which attempts its handler does not go on until the key `go` is there; each one that goes on
// writes one line to the job's sink, behind a fence that keeps the highest token.
import { createBullmq, fenceOf } from '@jobwarden/bullmq';
import { createRedisFence } from '@jobwarden/fences';
import { Worker } from 'bullmq';
import { Redis } from 'ioredis';
import { setTimeout as delay } from 'node:timers/promises';

const { queue, owner = 'queue', id, port, leaseMs, concurrency = 1, options = {}, claims, plain = false } = JSON.parse(process.env.SETTINGS);
const connection = { host: '127.0.0.1', port, maxRetriesPerRequest: null };
const redis = new Redis(connection);
const fence = createRedisFence(redis);
const say = (...words) => process.stdout.write(`${words.join(' ')}\n`);

async function handler(job) {
  const name = job.data.name ?? job.id;
  const { runId, attempt, token } = plain ? { runId: job.id, attempt: job.attemptsMade + job.stalledCounter + 1 } : fenceOf(job);
  await redis.hset('startedAt', `${name} ${attempt}`, Date.now());
  await redis.rpush('starts', `${name} ${attempt}`);
  say('started', name, attempt, token);
  if (job.data.hangs?.includes(attempt)) while ((await redis.exists('go')) === 0) await delay(20);
  const sink = `sink:{${runId}}`;
  const line = `by ${id}, attempt ${attempt}`;
  const wrote = token === undefined ? await redis.rpush(`${sink}:lines`, line) : await fence.run(`return redis.call('RPUSH', KEYS[2], ARGV[1])`, { keys: [sink, `${sink}:lines`], args: [line] }, token);
  say(wrote === null ? 'refused' : 'written', name, attempt, token);
  await redis.rpush('ends', `${name} ${attempt} ${wrote === null ? 'refused' : 'written'}`);
  return line;
}

const workerOptions = { connection, concurrency, ...options };
let worker;
if (plain) {
  worker = new Worker(queue, handler, workerOptions);
} else {
  const jobwarden = createBullmq({ owner, worker: { id, ...(leaseMs && { leaseMs }), ...(claims !== undefined && { claims }) } });
  worker = jobwarden.worker(queue, handler, workerOptions);
}
worker.on('error', (error) => say('error', error.message));
await worker.waitUntilReady();
say('ready');
