// A consumer of a group in a process of its own, to be killed, or stopped and let go on. Its settings come as JSON.
//
// A record says in `hangs` in which attempts its handler does not go on until the key `go` is there; each one that goes on
// writes one line to the job's sink, behind a fence that keeps the highest token.
import { createRedisFence } from '@jobwarden/fences';
import { createKafka } from '@jobwarden/kafka';
import { Redis } from 'ioredis';
import { Kafka, logLevel } from 'kafkajs';
import { setTimeout as delay } from 'node:timers/promises';

const { brokers, groupId, topic, retryTopic, id, redisUrl, leaseMs } = JSON.parse(process.env.SETTINGS);
const redis = new Redis(redisUrl);
const fence = createRedisFence(redis);
const say = (...words) => process.stdout.write(`${words.join(' ')}\n`);

async function eachMessage({ message }, { id: jobId, attempt, token }) {
  const { name, hangs = [] } = JSON.parse(message.value);
  await redis.rpush(`starts:${name}`, `${attempt}`);
  say('started', name, attempt);
  if (hangs.includes(attempt)) while ((await redis.exists(`go:${name}`)) === 0) await delay(20);
  const sink = `sink:{${jobId}}`;
  const wrote = await fence.run(`return redis.call('RPUSH', KEYS[2], ARGV[1])`, { keys: [sink, `${sink}:lines`], args: [`by ${id}, attempt ${attempt}`] }, token);
  const end = wrote === null ? 'refused' : 'written';
  await redis.rpush(`ends:${name}`, `${attempt} ${end}`);
  say(end, name, attempt);
}

const kafka = new Kafka({ brokers: brokers.split(','), logLevel: logLevel.NOTHING });
const consumer = kafka.consumer({ groupId, sessionTimeout: 1_500, heartbeatInterval: 300, rebalanceTimeout: 3_000, maxWaitTimeInMs: 100 });
const jobwarden = createKafka({ groupId, retryTopic, owner: 'jobwarden', worker: { id, leaseMs } });
consumer.on(consumer.events.GROUP_JOIN, () => say('joined'));
await consumer.connect();
await jobwarden.run(consumer, { topics: [topic], fromBeginning: true, eachMessage });
