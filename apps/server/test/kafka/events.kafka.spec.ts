import { createHash } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { prometheusLeftOut, startPrometheus, waitUntil } from '#libs/testing';
import { boardQueries, untilNoneIsBlank } from '../board-queries.fixture.js';
import { asOwner, event, eventText, worker, type TestService } from '../service.fixture.js';
import { jobOf, lanesOf, untilRead, untilStatus, useKafkaWorld, withLanesBlocked } from './kafka-service.fixture.js';

describe('events from Kafka', () => {
  const world = useKafkaWorld();
  let service: TestService;
  beforeAll(async () => {
    service = await world.start();
    await untilRead(service, 2);
  });

  it('show by REST, with what HTTP says of the same job; outcomes, lanes and hot queues are counted (D9)', async () => {
    await world.produce([event('queued', 'mixed', { kind: 'welcome' }), event('started', 'mixed', worker('w1'))]);
    await untilStatus(service, 'mixed', 'processing');
    await service.send(event('succeeded', 'mixed', worker('w1')));
    expect((await jobOf(service, 'mixed')).status).toBe('succeeded');
    const again = event('queued', 'again');
    await world.produce([again, again, { no: 'event' }]);
    await untilStatus(service, 'again', 'queued');

    const { text } = await service.get('/metrics');
    for (const line of [
      'jobwarden_ingest_events_total{outcome="duplicate"} 1',
      'jobwarden_ingest_events_total{outcome="quarantined"} 1',
      'jobwarden_ingest_hot_queue_events{queue="emails",kind="welcome"} 3',
      'jobwarden_lanes_stopped 0',
      'jobwarden_kafka_connected 1',
    ]) {
      expect(text).toContain(line);
    }
    expect(text).toMatch(/jobwarden_lane_watermark_lag_seconds\{lane="http"\} [\d.]+/);
    for (const lane of [0, 1]) {
      expect(text).toMatch(new RegExp(`jobwarden_lane_watermark_lag_seconds\\{lane="kafka/${world.prefix}events/${lane}"\\} \\d`));
    }
    const quarantined = (await service.get('/v1/quarantine')).body.items;
    expect(quarantined).toHaveLength(1);
    expect(JSON.stringify(quarantined[0])).toContain(`${world.prefix}events/`);
  });

  it.skipIf(prometheusLeftOut())('show in each panel of the boards that needs Kafka (J6)', async () => {
    const prometheus = await startPrometheus({ target: new URL(service.url).host, rules: [] });
    try {
      const scraped = async () => (await prometheus.api<{ result: readonly unknown[] }>('query?query=jobwarden_lane_ingest_lag_seconds_count')).result.length > 0;
      await waitUntil('it has been scraped', scraped);
      await world.produce([event('queued', 'shown', { queue: 'boards' }), event('started', 'shown', { queue: 'boards', ...worker('w') })]);
      const { withKafka } = boardQueries();
      expect(withKafka.length).toBeGreaterThan(3);
      await untilNoneIsBlank(prometheus, withKafka);
    } finally {
      await prometheus.stop();
    }
  });

  it('of a job whose worker falls silent put it back: invalidation, command with the payload byte for byte, in the end a dead letter, on their topics', async () => {
    const tags = { invalidates: { keys: ['user:1'], tags: [] } };
    const payload = '{ "n":1.0,\r\n "id": 12345678901234567890, "\\u0061" : [1e2 ] }';
    await world.produce([eventText(event('queued', 'silent', tags), payload), event('started', 'silent', { ...worker('w1'), leaseMs: 1_000 })]);
    const about = async (topic: 'commands' | 'invalidations' | 'dead-letters') => {
      const all = await world.read(topic);
      return all.filter(({ subject, data }) => subject === 'silent' || data['jobId'] === 'silent');
    };
    const requeued = await untilStatus(service, 'silent', 'requeued');
    expect(requeued['attempt']).toBe(2);
    // Before the worker begins: a command that is no longer true is not sent.
    await waitUntil('the command is on its topic', async () => (await about('commands')).some(isEnqueue));
    await world.produce([event('started', 'silent', { ...worker('w2'), attempt: 2, leaseMs: 1_000 })]);
    await untilStatus(service, 'silent', 'dead-lettered');
    await waitUntil('the dead letter is on its topic', async () => (await about('dead-letters')).length > 0);
    await waitUntil('the invalidation too', async () => (await about('invalidations')).length > 0);
    const [invalidation] = await about('invalidations');
    const command = (await about('commands')).find(isEnqueue);
    expect(invalidation?.data).toMatchObject({ keys: ['user:1'], cause: 'requeue', attempt: 2 });
    expect(command?.data).toMatchObject({ attempt: 2, invalidation: invalidation?.data['position'] });
    expect(command?.text).toContain(`"payload":${payload}}`);
    const [letter] = await about('dead-letters');
    const hash = createHash('sha256').update(payload).digest('hex');
    expect(letter?.data['payloadRef']).toBe(`sha256:${hash}`);
    expect((await service.get(`/v1/queues/emails/jobs/silent/bodies/${hash}`)).text).toBe(payload);
  });

  it('C6: with a payload as large as the topic takes and a stack of 200 kB die a death that is told, and reading goes on', async () => {
    const stack = `Error: deep\n${'  at call (deep.js:1:1)\n'.repeat(9_000)}`;
    const message = 'deep '.repeat(4_000);
    const queued = event('queued', 'huge', { payload: '', maxRetries: 0 });
    const room = 1_048_588 - 200 - Buffer.byteLength(JSON.stringify(queued));
    await world.produce([{ ...queued, data: { ...(queued['data'] as object), payload: 'x'.repeat(room) } }]);
    await world.produce([event('failed', 'huge', { retryable: false, error: { class: 'Error', message, stack } }), event('queued', 'behind')]);
    await untilStatus(service, 'huge', 'dead-lettered');
    await untilStatus(service, 'behind', 'queued');
    const letters = async () => (await world.read('dead-letters')).filter(({ subject }) => subject === 'huge');
    await waitUntil('its dead letter is on the topic', async () => (await letters()).length > 0);
    const { data } = (await letters())[0]!;
    expect(data['payloadRef']).toMatch(/^sha256:/u);
    expect(data).toMatchObject({ chain: [{ error: { stack: { bytes: stack.length } } }] });
    expect(data['cut']).toMatchObject([{ type: 'jobwarden.job.failed.v1', redacted: [], message: { bytes: message.length } }]);
    const { hash } = (data as { chain: readonly { error: { stack: { hash: string } } }[] }).chain[0]!.error.stack;
    expect((await service.get(`/v1/queues/emails/jobs/huge/bodies/${hash}`)).text).toBe(stack);
    const payload = String(data['payloadRef']).slice('sha256:'.length);
    expect((await service.get(`/v1/queues/emails/jobs/huge/bodies/${payload}`)).text).toHaveLength(room + 2);
  });

  it('that lie unread hold back a verdict which they would clear, and the lane is named', async () => {
    await world.produce([event('started', 'slow', { ...worker('w1'), leaseMs: 1_000 })]);
    await untilStatus(service, 'slow', 'processing');
    await withLanesBlocked(world.database.url, async () => {
      // The first is being stored, and waits; the other lies behind it.
      await world.produce([event('queued', 'in-between')]);
      await waitUntil('it is being stored', async () => {
        const rows = await asOwner(world.database.url, `SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()`);
        return rows.length > 0;
      });
      await world.produce([event('succeeded', 'slow', worker('w1'))]);
      // Readers wait on a pool of their own: HTTP takes events in all the same.
      await service.send(event('queued', 'over-http'));
      await waitUntil('the verdict is held by a lane', async () =>
        String((await jobOf(service, 'slow'))['heldBy']).startsWith(`lane:kafka/${world.prefix}events/`),
      );
    });
    const { decisions } = await untilStatus(service, 'slow', 'succeeded');
    expect(decisions).toEqual([]);
  });

  it('are read by every replica in part, and by the one that is left in whole', async () => {
    const other = await world.start();
    await waitUntil('both read', () => other.logged.some((line) => line.includes('are read by this replica')));
    const jobs = Array.from({ length: 40 }, (_, i) => `shared-${String(i)}`);
    for (const [i, job] of jobs.entries()) await world.produce([event('queued', job)], { key: job, partition: i % 2 });
    await other.stop();
    await untilStatus(service, 'shared-39', 'queued');
    await waitUntil('everything is stored', async () => {
      const { body } = await service.get('/v1/jobs?queue=emails&status=queued&limit=1000');
      return jobs.every((job) => body.items.some((item) => item.id === job));
    });
    expect((await lanesOf(service)).map((lane) => lane['stopped'])).toEqual([undefined, undefined]);
  });
});

const isEnqueue = ({ type }: { readonly type: string }) => type === 'jobwarden.command.enqueue.v1';
