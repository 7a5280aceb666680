import { Value } from 'typebox/value';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { JobNotices, StuckNotices, type StuckNoticesOptions, type WebhookAnswer, type WebhookEndpoint, type WebhookRequest } from '#libs/application';
import { StuckEvent } from '#libs/contracts';
import { fixedPolicies, useTestDatabase, World } from '#libs/testing';
import { PgNoticeReads } from './pg-notice-reads.js';
import { PgNoticeStore } from './pg-notice-store.js';

const T0 = 1_800_000_000_000;

describe('notices of what is stuck', () => {
  const database = useTestDatabase();
  let world: World;
  let nowMs = T0;
  const sent: WebhookRequest[] = [];
  let answer: WebhookAnswer = { ok: true };

  beforeAll(async () => {
    world = new World(database.url, fixedPolicies({ idempotent: true }, 'observe'));
    await world.startClock(T0);
  });
  afterAll(() => world.close());

  const hook = (name: string, more: Partial<WebhookEndpoint> = {}): WebhookEndpoint => ({
    name,
    format: 'standard',
    url: `https://${name}`,
    secret: { reveal: () => 's' },
    events: ['stuck'],
    queues: null,
    ...more,
  });
  const notices = (hooks: readonly WebhookEndpoint[], options: StuckNoticesOptions = {}) =>
    new StuckNotices(
      {
        store: new PgNoticeStore(world.database),
        webhooks: { list: () => hooks },
        sender: {
          send: (request) => {
            sent.push(request);
            return Promise.resolve(answer);
          },
        },
      },
      { windowMs: 0, retries: { initialMs: 0, factor: 1, maxMs: 0, jitter: 0, tries: 3 }, ...options },
    );
  const bodies = () => sent.splice(0).map(({ body }) => JSON.parse(body) as { id: string; subject: string; data: Record<string, unknown> });

  /** Jobs that fall silent, and a look at them. */
  async function lose(queue: string, ...jobs: readonly string[]): Promise<void> {
    for (const job of jobs) await world.send({ type: 'started', job, queue, leaseMs: 1_000, worker: { id: `w-${job}` } });
    nowMs += 60_000;
    await world.at(nowMs);
    await world.run();
  }

  it('are none while nothing is stuck', async () => {
    await world.send({ type: 'queued', job: 'fine' });
    await world.run({ requested: true });
    await notices([hook('a')]).turn();
    expect(sent).toEqual([]);
  });

  it('name the jobs of a queue with worker, threshold and what would have been done, once per queue and window', async () => {
    await lose('mail', 'm1', 'm2', 'm3');
    await lose('pdf', 'p1');
    const hooks = [hook('a'), hook('pdf-only', { queues: ['pdf'] }), hook('other', { events: ['commands'] })];
    const replicas = [notices(hooks, { jobs: 2 }), notices(hooks, { jobs: 2 }), notices(hooks, { jobs: 2 })];
    await Promise.all(replicas.map((r) => r.turn()));
    for (const replica of replicas) await replica.turn();
    expect(sent.map(({ url }) => url).sort()).toEqual(['https://a', 'https://a', 'https://pdf-only']);
    const found = bodies();
    for (const body of found) expect([...Value.Errors(StuckEvent, body)]).toEqual([]);
    expect(found.find((b) => b.subject === 'mail')?.data).toMatchObject({
      count: 3,
      more: 1,
      verdicts: { lost: 3 },
      outcomes: { 'would-have': 3 },
      link: '/v1/verdicts?queue=mail',
      jobs: [
        { verdict: 'lost', worker: expect.stringMatching(/^w-m\d$/u) as unknown, threshold: { source: 'job', ms: 1_000 }, level: 'observe', action: 'requeue' },
        { since: new Date(T0 + 1_000).toISOString() },
      ],
    });
    await replicas[0]?.turn();
    expect(sent).toEqual([]);
  });

  it('wait for their window, and take all of it then', async () => {
    await lose('slow', 's1');
    await notices([hook('a')], { windowMs: 3_600_000 }).turn();
    expect(sent).toEqual([]);
    await lose('slow', 's2');
    await notices([hook('a')]).turn();
    expect(bodies().map((b) => b.data['count'])).toEqual([2]);
  });

  it('come again under the same id until they are acknowledged, and end after the last try', async () => {
    answer = { ok: false, detail: '503' };
    await lose('broken', 'b1');
    const made = notices([hook('a')]);
    for (let turn = 0; turn < 5; turn += 1) await made.turn();
    expect(new Set(sent.map(({ id }) => id)).size).toBe(1);
    expect(sent.splice(0)).toHaveLength(3);
    answer = { ok: true };
    await lose('broken', 'b2');
    await made.turn();
    expect(bodies().map((b) => b.data['jobs'])).toMatchObject([[{ id: 'b2' }]]);
  });

  it('are told of by job and webhook: gathered, waiting, refused, delivered; of a job that nobody found stuck nothing is', async () => {
    const hooks = [hook('a'), hook('pdf-only', { queues: ['pdf'] }), hook('other', { events: ['commands'] })];
    const standing = new JobNotices(new PgNoticeReads(world.database), { list: () => hooks });
    const of = async (id: string, queue = 'told') => (await standing.of({ namespace: 'default', queue, id }))?.map(({ host, state, tries }) => [host, state, tries]) ?? null;
    answer = { ok: false, detail: '503' };
    await lose('told', 't1', 't2');
    expect(await of('t1')).toEqual([['a', 'gathering', 0]]);
    expect([await of('t3'), await of('t1', 'pdf')]).toEqual([null, null]);
    const made = notices(hooks, { jobs: 1, retries: { initialMs: 60_000, factor: 1, maxMs: 60_000, jitter: 0, tries: 3 } });
    await made.turn();
    // The second one is only counted in the notice.
    expect([await of('t1'), await of('t2')]).toEqual([[['a', 'refused', 1]], [['a', 'refused', 1]]]);
    await world.database.query('UPDATE jobwarden.stuck_notices SET next_at = now()');
    answer = { ok: true };
    const sending: unknown[] = [];
    const watched = { send: async () => (sending.push(await of('t1')), answer) };
    await new StuckNotices({ store: new PgNoticeStore(world.database), webhooks: { list: () => hooks }, sender: watched }, { windowMs: 0 }).turn();
    expect([sending, await of('t1')]).toEqual([[[['a', 'waiting', 2]]], [['a', 'delivered', 0]]]);
    sent.splice(0);
  });

  it('are told of beside replicas of a release before, which name no job that they find and no notice that they make', async () => {
    const standing = new JobNotices(new PgNoticeReads(world.database), { list: () => [hook('a')] });
    const of = async (id: string) => (await standing.of({ namespace: 'default', queue: 'old', id }))?.map(({ state }) => state) ?? null;
    await lose('old', 'o1');
    await world.database.query('DELETE FROM jobwarden.stuck_jobs');
    expect(await of('o1')).toBeNull();
    await notices([hook('a')]).turn();
    expect(await of('o1')).toEqual(['delivered']);
    await lose('old', 'o2');
    expect(await of('o2')).toEqual(['gathering']);
    await world.database.query('UPDATE jobwarden.reconciliations SET noticed = true');
    expect(await of('o2')).toEqual(['delivered']);
    sent.splice(0);
  });

  it('are not made up for what was found while nobody wanted them', async () => {
    await lose('quiet', 'q1');
    await notices([]).turn();
    await notices([hook('a')]).turn();
    expect(sent).toEqual([]);
  });
});
