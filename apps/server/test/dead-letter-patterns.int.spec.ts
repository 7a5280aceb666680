import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { pollUntil, useTestDatabase } from '#libs/testing';
import { event, TestService, worker } from './service.fixture.js';

const POLICY = `
defaults: {actions: act, idempotent: true, maxRetries: 0, grace: 100ms}
`;
const STACK = 'SmtpError: x\n    at Mailer.send (/srv/app/src/mailer.js:3:7)\n    at run (/srv/app/node_modules/q/i.js:1:1)';

interface Found {
  readonly id: string;
  readonly queue: string;
  readonly class: string | null;
  readonly message: string;
  readonly reason: string;
  readonly frames: readonly string[];
  readonly letters: number;
  readonly stillDead: boolean | null;
  readonly arrived: number;
  readonly trend: readonly number[];
  readonly mark: string | null;
}

describe('dead letters by what they died of', () => {
  const database = useTestDatabase();
  let service: TestService;
  beforeAll(async () => (service = await TestService.start(database.url, POLICY)));
  afterAll(() => service.stop());

  async function patterns(query = ''): Promise<readonly Found[]> {
    return (await service.get(`/v1/dead-letters/patterns${query}`)).body.items as unknown as readonly Found[];
  }
  /** Sorted within a second or two of the log. */
  const sortedTo = (letters: number, queue = 'emails') =>
    pollUntil(async () => (await patterns(`?queue=${queue}`)).reduce((sum, p) => sum + p.letters, 0) >= letters, { withinMs: 20_000 });
  const failed = (id: string, message: string, revision = 'r1', queue = 'emails') => [
    event('queued', id, { queue }),
    event('failed', id, { queue, error: { class: 'SmtpError', message, stack: STACK }, worker: { id: `w-${id}`, revision } }),
  ];

  it('are one pattern where only values differ, and others where the error does', async () => {
    await service.send(...failed('a1', 'no user 7 at ada@example.com'), ...failed('a2', 'no user 8 at bob@example.com', 'r2'), ...failed('a3', 'mailbox full'));
    await service.send(event('queued', 'gone'), event('started', 'gone', { ...worker('w'), leaseMs: 1 }));
    await sortedTo(4);
    const found = await patterns('?queue=emails');
    expect(found.map(({ class: name, message, reason, letters, frames, mark }) => [name, message, reason, letters, frames, mark]).sort()).toEqual(
      [
        ['SmtpError', 'no user <n> at <email>', 'failed', 2, ['Mailer.send (mailer.js)'], 'new'],
        ['SmtpError', 'mailbox full', 'failed', 1, ['Mailer.send (mailer.js)'], 'new'],
        [null, '', 'lost', 1, [], 'new'],
      ].sort(),
    );
    const [most] = found;
    const one = await service.get(`/v1/dead-letters/patterns/${most!.id}`);
    expect(one.body).toMatchObject({
      letters: 2,
      hours: [{ letters: 2 }],
      revisions: [{ name: 'r1', letters: 1 }, { name: 'r2', letters: 1 }],
      workers: [{ name: 'w-a1' }, { name: 'w-a2' }],
    });
    const letters = await service.get(`/v1/dead-letters/patterns/${most!.id}/letters`);
    expect(letters.body.items.map(({ id }) => id).sort()).toEqual(['a1', 'a2']);
    // The hour may have turned since they died.
    for (const { trend } of [most!, one.body as unknown as Found]) {
      expect(trend).toHaveLength(24);
      expect(trend.slice(-2).reduce((sum, count) => sum + count, 0)).toBe(2);
    }
    expect((await service.get('/v1/dead-letters/one?queue=emails&id=a1')).body['pattern']).toBe(most!.id);
  });

  it('leave the jobs of a pattern when they are redriven, and count again when they die again', async () => {
    const most = (await patterns('?queue=emails'))[0]!;
    const letters = async () => (await service.get(`/v1/dead-letters/patterns/${most.id}/letters`)).body.items.map(({ id }) => id).sort();
    await service.call('POST', '/v1/queues/emails/jobs/a1/redrive', { body: { reason: 'again' } });
    await pollUntil(async () => (await letters()).join() === 'a2', { withinMs: 5_000 });
    await service.send(event('failed', 'a1', { attempt: 2, retryable: false, error: { class: 'SmtpError', message: 'no user 7 at x@example.com', stack: STACK } }));
    await sortedTo(5);
    expect((await patterns('?queue=emails'))[0]).toMatchObject({ id: most.id, letters: 3 });
    expect(await letters()).toEqual(['a1', 'a2']);
  });

  it('say whether one is dead still, and the list how many are in all', async () => {
    await service.send(...failed('d1', 'disk full', 'r1', 'discarded'), ...failed('d2', 'no route', 'r1', 'discarded'));
    await sortedTo(2, 'discarded');
    const standing = async () => {
      const { body } = await service.get('/v1/dead-letters/patterns?queue=discarded');
      return { arrived: body['arrived'], dead: body['dead'], patterns: Object.fromEntries((body.items as unknown as readonly Found[]).map(({ message, stillDead }) => [message, stillDead])) };
    };
    expect(await standing()).toEqual({ arrived: 2, dead: 2, patterns: { 'disk full': true, 'no route': true } });
    await service.call('POST', '/v1/queues/discarded/jobs/d1/discard', { body: { reason: 'not needed' } });
    expect(await standing()).toEqual({ arrived: 2, dead: 1, patterns: { 'disk full': false, 'no route': true } });
  });

  it('are marked as regressed when they were said to be fixed and come again', async () => {
    const full = (await patterns('?queue=emails')).find(({ message }) => message === 'mailbox full')!;
    const said = await service.call('POST', `/v1/dead-letters/patterns/${full.id}/review`, { body: { outcome: 'fixed', reason: 'larger mailboxes' } });
    expect(said.body).toMatchObject({ mark: null, review: { outcome: 'fixed', by: 'local', reason: 'larger mailboxes' } });
    await service.send(...failed('b1', 'mailbox full'));
    await sortedTo(6);
    expect((await patterns('?queue=emails')).find(({ id }) => id === full.id)).toMatchObject({ mark: 'regressed', letters: 2 });
  });

  it('show what arrived since somebody looked through them, and who that was', async () => {
    const before = await service.get('/v1/dead-letters/patterns?since=review&queue=emails');
    expect(before.body).toMatchObject({ lastReview: null, arrived: 6, total: 3 });
    const made = await service.call('POST', '/v1/dead-letters/reviews', { body: { queue: 'emails', reason: 'Monday' } });
    expect(made).toMatchObject({ status: 201, body: { by: 'local', reason: 'Monday', queue: 'emails' } });
    expect((await patterns('?queue=emails')).filter(({ mark }) => mark === 'new')).toEqual([]);
    await service.send(...failed('c1', 'something else entirely'));
    await sortedTo(7);
    const after = await service.get('/v1/dead-letters/patterns?since=review&queue=emails');
    expect(after.body['lastReview']).toMatchObject({ reason: 'Monday' });
    const fresh = (after.body.items as unknown as readonly Found[]).filter(({ mark }) => mark === 'new');
    expect(fresh.map(({ message }) => message)).toEqual(['something else entirely']);
  });

  it('answer what is wrong with a call', async () => {
    expect((await service.get('/v1/dead-letters/patterns/999999')).status).toBe(404);
    expect((await service.get('/v1/dead-letters/patterns/no')).status).toBe(404);
    expect(await service.get('/v1/dead-letters/patterns?since=yesterday')).toMatchObject({ status: 400, body: { errors: [{ field: 'since' }] } });
    expect((await service.call('POST', '/v1/dead-letters/patterns/999999/review', { body: { outcome: 'seen', reason: 'x' } })).status).toBe(404);
    const [one] = await patterns('?queue=emails');
    expect((await service.call('POST', `/v1/dead-letters/patterns/${one!.id}/review`, { body: { outcome: 'gone', reason: 'x' } })).status).toBe(400);
    expect((await service.call('POST', '/v1/dead-letters/reviews', { body: { reason: ' ' } })).status).toBe(400);
    expect((await service.get('/v1/dead-letters/patterns?queue=nobody')).body).toMatchObject({ items: [], total: 0, arrived: 0 });
  });
});
