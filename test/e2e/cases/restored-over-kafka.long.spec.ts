import { afterEach, describe, expect, it } from 'vitest';
import { cliEntry, createTestDatabase, sharedBrokers, startProcess, useTopicPrefix, waitUntil } from '#libs/testing';
import { epochOfToken } from '#libs/domain';
import { asOwner, eachOf, event, range, Shipped, type CloudEvent } from './shipped.js';
import { OverTopics, topicSettings } from './ways-in.js';

const PARTITIONS = 2;
const POLICY = `
defaults: {lease: 2s, grace: 200ms, actions: act, claims: required, maxRetries: 20, startBy: 1h, blackout: {minWorkers: 100000}}
`;
/** Running at the time of the backup; they end in the time that is lost. */
const RUNNING = range(60, (i) => `running${String(i)}`);
/** Only queued at the time of the backup; half of them end in the time that is lost, half go on. */
const WAITING = range(60, (i) => `waiting${String(i)}`);
/** What the backup has never heard of. */
const NEW = range(1_000, (i) => `new${String(i)}`);
const ENDED = new Set([...RUNNING, ...WAITING.slice(0, 30), ...NEW]);

describe('a database that is restored beside a topic that has gone on', () => {
  const cleanUp: (() => Promise<unknown>)[] = [];
  const prefix = useTopicPrefix();

  afterEach(async () => {
    for (const step of cleanUp.splice(0).reverse()) await step();
  });

  async function start(databaseUrl: string): Promise<Shipped> {
    const env = topicSettings({ brokers: sharedBrokers(), prefix }, PARTITIONS);
    const service = await Shipped.start({ databaseUrl, policy: POLICY, env });
    cleanUp.push(() => service.end());
    return service;
  }

  /** Claims each, and answers the tokens. */
  async function claim(service: Shipped, ids: readonly string[], claimId: string): Promise<Map<string, number>> {
    const tokens = new Map<string, number>();
    await eachOf(ids, async (id) => {
      const body = { claimId, worker: { id: `w-${claimId}` }, leaseMs: 600_000 };
      await waitUntil(`${id} is claimed`, async () => {
        const answer = await service.call<{ token: number }>('POST', `/v1/queues/q/jobs/${id}/claims`, body);
        if (answer.status === 201) tokens.set(id, answer.body.token);
        return answer.status === 201;
      });
    });
    return tokens;
  }

  async function untilRead(service: Shipped, topics: OverTopics): Promise<void> {
    const ends = await topics.ends();
    await waitUntil('the topic is read to its end', async () => {
      const lanes = await service.all<{ lane: string; next?: number }>('/v1/lanes');
      return ends.every(([partition, end]) => (lanes.find(({ lane }) => lane === laneOf(partition))?.next ?? 0) >= end);
    }, { withinMs: 60_000 });
  }

  const laneOf = (partition: number): string => `kafka/${prefix}events/${String(partition)}`;

  it('sends no command for a finished job and gives no token twice when the topic is read again, one partition from its beginning', async () => {
    const first = await createTestDatabase();
    const copy = `${first.name}_restored`;
    const restoredUrl = new URL(first.url);
    restoredUrl.pathname = `/${copy}`;
    const admin = new URL(first.url);
    admin.pathname = '/postgres';
    cleanUp.push(async () => {
      await asOwner(admin.href, `DROP DATABASE IF EXISTS ${copy} WITH (FORCE)`);
      await first.drop();
    });

    const before = await start(first.url);
    const topics = await OverTopics.open({ brokers: sharedBrokers(), prefix });
    cleanUp.push(() => topics.close());
    const given = new Set<string>();
    const note = (tokens: ReadonlyMap<string, number>): void => {
      for (const [id, token] of tokens) given.add(`${id}/${String(token)}`);
    };
    const succeeded = (tokens: ReadonlyMap<string, number>, ids: readonly string[]): CloudEvent[] =>
      ids.map((id) => {
        const worker = { id: RUNNING.includes(id) ? 'w-running' : 'w-lost' };
        return event('succeeded', id, { attempt: 1, token: tokens.get(id) ?? 0, worker });
      });

    await topics.send([...RUNNING, ...WAITING].map((id) => event('queued', id)));
    await untilRead(before, topics);
    const running = await claim(before, RUNNING, 'running');
    note(running);
    await before.stop();
    await asOwner(admin.href, `CREATE DATABASE ${copy} TEMPLATE ${first.name}`);

    // What the backup does not have.
    await before.startAgain();
    await topics.send(succeeded(running, RUNNING));
    await topics.send(NEW.map((id) => event('queued', id)));
    await untilRead(before, topics);
    const claimed = await claim(before, [...WAITING, ...NEW], 'lost');
    note(claimed);
    await topics.send([...ENDED].filter((id) => !RUNNING.includes(id)).flatMap((id) => succeeded(claimed, [id])));
    await untilRead(before, topics);
    const ended = await asOwner<{ n: number }>(first.url, `SELECT count(*)::int AS n FROM jobwarden.jobs WHERE status = 'succeeded'`);
    expect(ended).toEqual([{ n: ENDED.size }]);
    await before.stop();
    for (const { subject, data } of topics.commands) given.add(`${subject}/${String(data.token)}`);
    const sentBefore = topics.commands.length;

    const after = await start(restoredUrl.href);
    expect(await after.call('GET', '/v1/actions')).toMatchObject({ body: { restored: expect.any(String) as string } });
    // The others go on from where the backup had come to, by themselves: their place is in it.
    const rewinds = ['--rewind', `${laneOf(0)}=earliest`];
    const recover = startProcess({
      entry: cliEntry,
      args: ['recover', '--observe', '3s', ...rewinds],
      env: { JOBWARDEN_DATABASE_URL: restoredUrl.href },
    });
    expect((await recover.exited).code, recover.output()).toBe(0);
    expect(recover.output()).toMatch(new RegExp(`${laneOf(0)} goes on at 0, where it had come to \\d+\\n  ${laneOf(1)} goes on at \\d+\\n`, 'u'));
    await untilRead(after, topics);
    // What goes on is granted anew, once it is no longer only observed.
    const again = await claim(after, WAITING.slice(30), 'again');
    for (const [id, token] of again) {
      expect(given.has(`${id}/${String(token)}`), `${id}/${String(token)}`).toBe(false);
      expect(epochOfToken(token)).toBeGreaterThan(0);
    }
    // It acts again: what a worker lets go of is put back.
    await topics.send([event('queued', 'probe')]);
    await untilRead(after, topics);
    const probe = await claim(after, ['probe'], 'probe');
    await topics.send([event('released', 'probe', { attempt: 1, token: probe.get('probe') ?? 0, worker: { id: 'w-probe' } })]);
    await waitUntil('it acts again', () => topics.commands.some(({ subject }) => subject === 'probe'), { withinMs: 20_000 });
    const look = await after.call<{ held: number }>('POST', '/v1/reconciliations', {});
    expect(look.body.held).toBe(0);

    const statuses = await asOwner<{ status: string; n: number }>(
      restoredUrl.href,
      `SELECT status, count(*)::int AS n FROM jobwarden.jobs WHERE job_id <> 'probe' GROUP BY 1 ORDER BY 1`,
    );
    expect(statuses).toEqual([{ status: 'processing', n: 30 }, { status: 'succeeded', n: ENDED.size }]);
    const since = topics.commands.slice(sentBefore);
    expect(since.filter(({ subject }) => ENDED.has(subject))).toEqual([]);
    expect(since.filter(({ subject, data }) => given.has(`${subject}/${String(data.token)}`))).toEqual([]);
    const events = await asOwner<{ job_id: string }>(
      restoredUrl.href,
      `SELECT j.job_id FROM jobwarden.events e JOIN jobwarden.jobs j USING (job_key) WHERE e.n IS NOT NULL AND j.job_id <> 'probe'`,
    );
    expect(events.filter(({ job_id: id }) => ENDED.has(id))).toEqual([]);
  });
});
