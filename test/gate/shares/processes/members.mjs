// Members of one consumer group in a process of their own, all of one Deployment: as many as it has replicas, with its environment.
// The track and the revision come of JOBWARDEN_TRACK and JOBWARDEN_REVISION alone. What else is to be known comes as JSON.
//
// Each attempt asks `held` before it goes on: the test lets all members go at once, so that none is quicker than another.
import { createBullmq } from '@jobwarden/bullmq';
import { createKafka } from '@jobwarden/kafka';
import { createPgBoss } from '@jobwarden/pg-boss';
import { Kafka, logLevel } from 'kafkajs';
import { PgBoss } from 'pg-boss';

const { binding, members, queue, held, place } = JSON.parse(process.env.SETTINGS);
const logger = { info: () => undefined, warn: () => undefined };
const workerOf = (member) => ({ id: `${process.env.JOBWARDEN_TRACK}-${member}` });
const work = async () => {
  if (held !== undefined) await fetch(held, { method: 'POST' });
};

const start = {
  bullmq: async (member) => {
    const jobwarden = createBullmq({ owner: 'queue', logger, worker: workerOf(member) });
    await jobwarden.worker(queue, work, { connection: { host: '127.0.0.1', port: place, maxRetriesPerRequest: null } }).waitUntilReady();
  },
  'pg-boss': async (member) => {
    const boss = new PgBoss({ connectionString: place, supervise: false, schedule: false, max: 2 });
    boss.on('error', (error) => void process.stderr.write(`${error.message}\n`));
    await boss.start();
    await createPgBoss(boss, { owner: 'queue', logger, worker: workerOf(member) }).work(queue, { pollingIntervalSeconds: 0.5 }, work);
  },
  kafka: async (member) => {
    const kafka = new Kafka({ brokers: place.split(','), logLevel: logLevel.NOTHING });
    const groupId = process.env.KAFKA_GROUP_ID;
    const consumer = kafka.consumer({ groupId, maxWaitTimeInMs: 100 });
    consumer.on(consumer.events.GROUP_JOIN, ({ payload }) => process.stdout.write(`member ${member} has ${payload.memberAssignment[queue]?.length ?? 0}\n`));
    await consumer.connect();
    await createKafka({ groupId, owner: 'queue', logger, worker: workerOf(member) }).run(consumer, { topics: [queue], fromBeginning: true, eachMessage: work });
  },
}[binding];

await Promise.all(Array.from({ length: members }, (_, member) => start(member)));
process.stdout.write('ready\n');
