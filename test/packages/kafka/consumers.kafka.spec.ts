import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { OwnersError } from '@jobwarden/kafka';
import { redisLeftOut, useTestDatabase, useTopicPrefix, waitUntil } from '#libs/testing';
import { attemptsIn, kinOf, produced, spanIdOf, tracing } from '../spans.fixture.js';
import { KafkaStage } from './stage.js';

const acts = '{actions: act, claims: required}';

describe.skipIf(redisLeftOut())('plain Kafka consumers', () => {
  const database = useTestDatabase();
  const prefix = useTopicPrefix();
  let stage: KafkaStage;

  beforeAll(async () => {
    const policies = { shared: acts, failing: acts, acted: acts, kept: '{owner: queue}', again: '{owner: queue}', bad: '{owner: queue}', held: '{owner: queue}' };
    const topics = { shared: 1, 'shared-retry': 1, failing: 1, 'failing-retry': 1, kept: 1, again: 1, bad: 1, held: 2 };
    stage = await KafkaStage.start({ databaseUrl: database.url, prefix, policies, topics });
  });
  afterAll(() => stage.end());

  it.concurrent('are stopped, and killed: each record runs once more, and once to its end', async () => {
    const topic = stage.named('shared');
    const group = `${topic}-group`;
    const retryTopic = stage.named('shared-retry');
    const commands = stage.binding('shared-group', { owner: 'jobwarden', retryTopic }).consumeCommands({ topics: [topic], producer: stage.producer });
    await commands.ready;
    const both = await Promise.all([stage.process(topic, 'first'), stage.process(topic, 'second')]);
    const succeeded = async (id: string) => (await stage.client.job({ queue: topic, id }))?.status === 'succeeded';

    // One that only seemed dead is refused when it comes back (B2).
    const stopped = await stage.send(topic, { name: 'stopped', hangs: [1] }, { group });
    const seeming = await theOne(both, (process) => process.output().includes('started stopped 1'));
    process.kill(seeming.pid, 'SIGSTOP');
    await stage.until('the other has written', async () => (await stage.list('ends:stopped')).length > 0);
    await stage.connection.set('go:stopped', '1');
    process.kill(seeming.pid, 'SIGCONT');
    await seeming.waitForOutput(/refused stopped 1[^]*joined/u);
    await stage.until('it has succeeded', () => succeeded(stopped));
    expect(await stage.list('ends:stopped')).toEqual(['2 written', '1 refused']);
    expect(await stage.list(`sink:{${stopped}}:lines`)).toHaveLength(1);

    // One that is killed is followed by exactly one start (A5).
    const killed = await stage.send(topic, { name: 'killed', hangs: [1] }, { group });
    const dead = await theOne(both, (process) => process.output().includes('started killed 1'));
    await dead.kill();
    await stage.until('it is committed', async () => (await stage.committed(group, topic)) === 2);
    expect(await stage.list('starts:killed')).toEqual(['1', '2']);
    expect(await stage.list('ends:killed')).toEqual(['2 written']);
    expect(await stage.list(`sink:{${killed}}:lines`)).toHaveLength(1);
    expect(await stage.client.job({ queue: topic, id: killed })).toMatchObject({ status: 'succeeded', attempt: 2 });
  });

  it.concurrent('fail: Jobwarden puts the record back, as the same job with a higher token', async () => {
    const [topic, retryTopic, commandsTopic] = [stage.named('failing'), stage.named('failing-retry'), stage.named('commands')];
    const group = stage.named('failing-group');
    const jobwarden = stage.binding('failing-group', { owner: 'jobwarden', retryTopic, worker: { tracing } });
    const reader = stage.consumer('failing-commands');
    await reader.connect();
    const commands = jobwarden.consumeCommands({ topics: [topic], producer: stage.producer, consumer: reader, commandsTopic });
    await commands.ready;
    const seen: Seen[] = [];
    const traces: string[] = [];
    const consumer = stage.consumer('failing-group');
    await consumer.connect();
    await jobwarden.run(consumer, {
      topics: [topic],
      fromBeginning: true,
      eachMessage: ({ topic: from, message: { key, value, headers } }, { id, attempt, token, traceparent }) => {
        seen.push({ from, id, attempt, token: token ?? 0, record: [String(key), String(value), String(headers?.['trace'])] });
        traces.push(traceparent?.split('-')[1] ?? '');
        return attempt === 1 ? Promise.reject(new Error('not this time')) : Promise.resolve();
      },
    });
    const { value: id, traceId, spanId } = await produced(() => stage.send(topic, { to: 'ada' }, { group, headers: { trace: 'x' } }));
    await stage.until('it has succeeded', async () => (await stage.client.job({ queue: topic, id }))?.status === 'succeeded');
    const record = ['ada', '{"to":"ada"}', 'x'];
    expect(seen).toEqual([
      { from: topic, id, attempt: 1, token: seen[0]?.token, record },
      { from: retryTopic, id, attempt: 2, token: (seen[0]?.token ?? 0) + 1, record },
    ]);
    expect(commands.stats()).toEqual({ 'put-back': 1 });
    expect(traces).toEqual([traceId, traceId]);
    const [first, second] = attemptsIn(traceId);
    expect([first, second].map(kinOf)).toEqual([{ parent: spanId, links: [] }, { parent: spanId, links: [spanIdOf(first)] }]);
    await stage.until('both are committed', async () => (await stage.committed(group, topic)) === 1 && (await stage.committed(group, retryTopic)) === 1);
  });

  it.concurrent('leave their group while their release is out of service, and join it again: others run their records meanwhile', async () => {
    const topic = stage.named('bad');
    const group = stage.named('bad-group');
    const call = (what: string) => stage.client.call('POST', `/v1/revisions/${what}`, { queue: topic, revision: 'bad', reason: 'it leaks', force: true });
    const members = async () => (await stage.admin.describeGroups([group])).groups[0]?.members.length;
    const ran: string[] = [];
    const join = async (revision: string) => {
      const consumer = stage.consumer('bad-group');
      await consumer.connect();
      const binding = stage.binding('bad-group', { worker: { revision, id: revision }, logger: { info: () => undefined, warn: () => undefined } });
      await binding.run(consumer, { topics: [topic], fromBeginning: true, eachMessage: ({ message }) => Promise.resolve(void ran.push(`${revision} ${String(message.value)}`)) });
    };
    // The queue is known by its first record.
    await join('bad');
    await stage.send(topic, { n: 1 }, { group });
    await stage.until('it runs', () => ran.length === 1);
    await call('refuse');
    const id = await stage.send(topic, { n: 2 }, { group });
    await stage.until('it has left', async () => (await members()) === 0);
    await join('good');
    await stage.until('the other has run it', () => ran.length === 2);
    await call('readmit');
    await stage.until('it has joined again', async () => (await members()) === 2);
    expect(ran).toEqual(['bad {"n":1}', 'good {"n":2}']);
    await stage.until('it is told', async () => (await stage.client.job({ queue: topic, id }))?.status === 'succeeded');
    expect(await stage.client.job({ queue: topic, id })).toMatchObject({ attempt: 1, attempts: [{ attempt: 1, workers: [{ id: 'good', revision: 'good' }] }] });
  });

  it.concurrent('keep their order where Kafka recovers: a failed record is tried again in its place', async () => {
    const topic = stage.named('kept');
    const group = stage.named('kept-group');
    const consumer = stage.consumer('kept-group');
    await consumer.connect();
    await consumer.subscribe({ topics: [topic], fromBeginning: true });
    const seen: string[] = [];
    const eachMessage = stage.binding('kept-group').eachMessage(({ message }, { attempt }) => {
      seen.push(`${String(message.value)} ${String(attempt)}`);
      return message.offset === '0' && attempt === 1 ? Promise.reject(new Error('not this time')) : Promise.resolve();
    });
    await consumer.run({ eachMessage });
    for (const n of [1, 2]) await stage.send(topic, { n }, { group });
    await stage.until('both are committed', async () => (await stage.committed(group, topic)) === 2);
    expect(seen).toEqual(['{"n":1} 1', '{"n":1} 2', '{"n":2} 1']);
  });

  it.concurrent('pass by what is finished when they get it again', async () => {
    const topic = stage.named('again');
    const group = stage.named('again-group');
    const seen: string[] = [];
    const consume = async (until: number) => {
      const consumer = stage.consumer('again-group');
      await consumer.connect();
      await stage.binding('again-group').run(consumer, { topics: [topic], fromBeginning: true, eachMessage: ({ message }) => Promise.resolve(seen.push(message.offset)) });
      await stage.until(`${String(until)} are committed`, async () => (await stage.committed(group, topic)) === until);
      await consumer.disconnect();
    };
    await stage.send(topic, { n: 1 }, { group });
    await consume(1);
    await stage.rewind(group, topic);
    await stage.send(topic, { n: 2 }, { group });
    await consume(2);
    expect(seen).toEqual(['0', '1']);
  });

  it.concurrent('commit nothing behind what another holds, and go on with other partitions', async () => {
    const topic = stage.named('held');
    const group = stage.named('held-group');
    const job = { queue: topic, id: await stage.send(topic, { n: 1 }, { group }) };
    for (const n of [2, 3]) await stage.send(topic, { n }, { group, partition: n - 2 });
    // Longer than the wait that is made in place.
    const worker = { id: 'another' };
    const held = await stage.client.claim(job, { claimId: job.id, worker, leaseMs: 60_000 });
    const seen: string[] = [];
    const consumer = stage.consumer('held-group');
    await consumer.connect();
    const jobwarden = stage.binding('held-group');
    await jobwarden.run(consumer, { topics: [topic], fromBeginning: true, eachMessage: ({ message }) => Promise.resolve(seen.push(String(message.value))) });
    await stage.until('the other partition is done', async () => (await stage.committed(group, topic, 1)) === 1);
    expect([seen, await stage.committed(group, topic)]).toEqual([['{"n":3}'], -1]);
    jobwarden.watchLag({ admin: stage.admin, topics: [topic] });
    await stage.until('its backlog is known', async () => (await stage.service.get<{ native?: { waiting: number } | null }>(`/v1/queues/${topic}`)).native?.waiting === 2);
    const { token } = held as { token: number };
    await stage.client.send([{ specversion: '1.0', id: 'done', source: 'another', subject: job.id, type: 'jobwarden.job.succeeded.v1', data: { queue: topic, attempt: 1, token, worker } }]);
    await stage.until('all are done', async () => (await stage.committed(group, topic)) === 2);
    expect(seen).toEqual(['{"n":3}', '{"n":2}']);
  });

  it.concurrent('are not started where Jobwarden would recover the same jobs', async () => {
    const [topic, consumer] = [stage.named('acted'), stage.consumer('acted')];
    const eachMessage = () => Promise.resolve();
    const running = (options: object) => stage.binding('acted', options).run(consumer, { topics: [topic], eachMessage });
    await expect(running({ owner: 'queue' })).rejects.toThrow(OwnersError);
    await expect(stage.binding('acted', { owner: 'jobwarden' }).run(consumer, { topics: [topic], eachMessage, autoCommit: false })).rejects.toThrow(/autoCommit/u);
  });
});

interface Seen {
  readonly from: string;
  readonly id: string;
  readonly attempt: number;
  readonly token: number;
  readonly record: readonly string[];
}

async function theOne<T>(candidates: readonly T[], is: (candidate: T) => boolean): Promise<T> {
  let found: T | undefined;
  await waitUntil('one of them is it', () => (found = candidates.find(is)) !== undefined, { withinMs: 30_000 });
  return found as T;
}
