import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { useTestDatabase, waitUntil } from '#libs/testing';
import { EventReader } from './sse.fixture.js';
import { event, TestService, type Answer } from './service.fixture.js';

const hash = (token: string) => createHash('sha256').update(token).digest('hex');
const POLICY = `
defaults: {actions: act, idempotent: true, maxRetries: 0}
tokens:
  - {name: all, hash: ${hash('all')}, scopes: [admin], namespaces: ["*"]}
  - {name: shop, hash: ${hash('shop')}, scopes: [read, operate], namespaces: [shop]}
`;
const of = (token: string) => ({ authorization: `Bearer ${token}` });

interface Note {
  readonly what: string;
  readonly namespace?: string;
}

describe('lists of dead letters', () => {
  const place = useTestDatabase();
  let service: TestService;
  beforeAll(async () => (service = await TestService.start(place.url, POLICY)));
  afterAll(() => service.stop());

  const get = async (path: string, token = 'all'): Promise<Answer> => await service.get(path, of(token));
  const patterns = async (query: string): Promise<Answer> => await get(`/v1/dead-letters/patterns?${query}`);
  const post = async (path: string, body: object, token = 'all'): Promise<Answer> => await service.call('POST', path, { body, headers: of(token) });
  const sorted = async (query: string) => (await patterns(query)).body.items.reduce((sum, { letters }) => sum + Number(letters), 0);

  /** Told, and sorted. */
  async function die(letters: readonly { readonly id: string; readonly queue: string; readonly message: string; readonly kind?: string; readonly namespace?: string }[]): Promise<void> {
    const query = `queue=${letters[0]?.queue ?? ''}&namespace=${letters[0]?.namespace ?? 'default'}`;
    const before = await sorted(query);
    const events = letters.flatMap(({ id, queue, message, kind, namespace }) => {
      const within = namespace === undefined ? {} : { namespace };
      return [
        { ...event('queued', id, { queue, ...(kind !== undefined && { kind }) }), ...within },
        { ...event('failed', id, { queue, retryable: false, error: { class: 'E', message } }), ...within },
      ];
    });
    const { body } = await post('/v1/events', events);
    expect(body.results.map(({ outcome }) => outcome)).toEqual(events.map(() => 'appended'));
    await waitUntil('they are sorted', async () => (await sorted(query)) === before + letters.length);
  }

  async function all(path: string): Promise<readonly string[]> {
    const ids: string[] = [];
    for (let next: string | null = ''; next !== null; ) {
      const { body }: Answer = await get(`${path}${next === '' ? '' : `&next=${encodeURIComponent(next)}`}`);
      ids.push(...body.items.map(({ id }) => id));
      next = body.next;
    }
    return ids;
  }

  it('have those of one kind, of one queue or of all, newest first and each on one page', async () => {
    const ids = Array.from({ length: 9 }, (_, i) => String(i));
    for (const queue of ['left', 'right']) await die(ids.map((id) => ({ id: `${queue}-${id}`, queue, message: 'no', kind: Number(id) % 3 === 0 ? 'rare' : 'usual' })));
    expect(await all('/v1/dead-letters?queue=left&kind=rare&limit=2')).toHaveLength(3);
    expect([...(await all('/v1/dead-letters?queue=left&kind=rare&limit=2'))].sort()).toEqual(['left-0', 'left-3', 'left-6']);
    expect([...(await all('/v1/dead-letters?kind=rare&limit=2'))].sort()).toEqual(['left-0', 'left-3', 'left-6', 'right-0', 'right-3', 'right-6']);
    expect(await all('/v1/dead-letters?kind=nobody')).toEqual([]);
    const everything = await all('/v1/dead-letters?limit=4');
    expect(everything).toEqual(await all('/v1/dead-letters?limit=1000'));
    expect([...everything].sort()).toEqual(['left', 'right'].flatMap((queue) => ids.map((id) => `${queue}-${id}`)));
    // Those of `right` have died later.
    expect(everything.findIndex((id) => id.startsWith('left'))).toBe(9);
    const first = await get('/v1/dead-letters?kind=rare&limit=1');
    expect(await get(`/v1/dead-letters?kind=usual&limit=1&next=${String(first.body.next)}`)).toMatchObject({ status: 400, body: { code: 'cursor_invalid' } });
  });

  it('have patterns in pages, most arrivals first, with the sums of all pages on each, and only those with a mark where that is asked for', async () => {
    const words = ['pipe', 'leg', 'glass', 'rope', 'wheel', 'chain', 'mast'];
    await die(words.flatMap((word, i) => Array.from({ length: words.length - Math.floor(i / 2) }, (_, n) => ({ id: `${word}-${String(n)}`, queue: 'many', message: `broken ${word}` }))));
    const whole = (await patterns('queue=many')).body;
    const ids = whole.items.map(({ id }) => id);
    expect(whole).toMatchObject({ total: 7, arrived: 40, next: null });
    expect(whole.items.map(({ arrived }) => arrived)).toEqual([7, 7, 6, 6, 5, 5, 4]);
    expect(await all('/v1/dead-letters/patterns?queue=many&limit=3')).toEqual(ids);
    const first = (await patterns('queue=many&limit=3')).body;
    const rest = (await patterns(`queue=many&limit=1000&next=${String(first.next)}`)).body;
    expect(rest).toMatchObject({ total: 7, arrived: 40, next: null, since: first['since'] });
    expect((await patterns(`queue=many&since=7d&next=${String(first.next)}`)).body.code).toBe('cursor_invalid');
    expect((await patterns(`queue=left&next=${String(first.next)}`)).body.code).toBe('cursor_invalid');

    const [fixed = '', ignored = ''] = ids;
    await post(`/v1/dead-letters/patterns/${fixed}/review`, { outcome: 'fixed', reason: 'a new one' });
    await post(`/v1/dead-letters/patterns/${ignored}/review`, { outcome: 'ignored', reason: 'as ever' });
    const marked = async () => await all('/v1/dead-letters/patterns?queue=many&marked=true&limit=2');
    expect(await marked()).toEqual(ids.slice(2));
    expect((await patterns('queue=many&marked=true&limit=2')).body).toMatchObject({ total: 5, arrived: 26 });
    await post('/v1/dead-letters/reviews', { queue: 'many', reason: 'Monday' });
    expect(await marked()).toEqual([]);
    await die([{ id: 'again', queue: 'many', message: String(whole.items[0]?.['message']) }, { id: 'fresh', queue: 'many', message: 'never seen' }]);
    const after = (await patterns('queue=many&marked=true')).body.items;
    expect(after.map(({ id, mark }) => [id === fixed, mark])).toEqual([[true, 'regressed'], [false, 'new']]);
    // What the statement picks is what carries a mark.
    expect((await patterns('queue=many')).body.items.filter(({ mark }) => mark !== null).map(({ id }) => id)).toEqual(after.map(({ id }) => id));
  });

  it('name the pattern of a letter by its newest death', async () => {
    const patternOf = async () => (await get('/v1/dead-letters/one?queue=twice&id=again')).body['pattern'];
    const byMessage = async () => new Map((await patterns('queue=twice')).body.items.map(({ message, id }) => [message, id]));
    await die([{ id: 'again', queue: 'twice', message: 'no relay' }]);
    expect(await patternOf()).toBe((await byMessage()).get('no relay'));
    await post('/v1/jobs/one/redrive?queue=twice&id=again', { reason: 'the relay is back' });
    await post('/v1/events', [event('failed', 'again', { queue: 'twice', attempt: 2, retryable: false, error: { class: 'E', message: 'mailbox full' } })]);
    await waitUntil('it is sorted again', async () => (await sorted('queue=twice')) === 2);
    expect(await patternOf()).toBe((await byMessage()).get('mailbox full'));
    expect((await patterns('queue=twice')).body.items.map(({ trend }) => (trend as number[]).slice(-2).reduce((sum, letters) => sum + letters))).toEqual([1, 1]);
  });

  it('keep all that was said of a pattern, the newest first', async () => {
    const id = String((await patterns('queue=left')).body.items[0]?.id);
    for (const [outcome, reason] of [['seen', 'we look'], ['fixed', 'a new relay'], ['ignored', 'not ours']]) await post(`/v1/dead-letters/patterns/${id}/review`, { outcome, reason });
    const { body } = await get(`/v1/dead-letters/patterns/${id}`);
    expect(body['reviews']).toMatchObject([
      { outcome: 'ignored', by: 'all', reason: 'not ours' },
      { outcome: 'fixed', reason: 'a new relay' },
      { outcome: 'seen', reason: 'we look' },
    ]);
    expect(body['review']).toEqual((body['reviews'] as readonly unknown[])[0]);
  });

  it('tell by the stream of changes when letters were sorted, a pattern was reviewed, and all were looked through', async () => {
    const reader = await EventReader.open(`${service.url}/v1/streams/changes`, of('shop'));
    // Those of no namespace: a note of the log has one.
    const notes = () => reader.events.filter(({ event: type }) => type === 'changes').flatMap(({ data }) => data as unknown as readonly Note[]).filter(({ what, namespace }) => what === 'dead-letters' && namespace === undefined).length;
    await waitUntil('the stream stands', () => reader.events[0]?.event === 'alive');
    const told = async (what: string, act: () => Promise<unknown>) => {
      const before = notes();
      await act();
      await waitUntil(`it is told that ${what}`, () => notes() > before);
    };
    await told('letters were sorted', async () => await die([{ id: 'sorted', queue: 'told', message: 'no' }]));
    const id = String((await patterns('queue=told')).body.items[0]?.id);
    await told('a pattern was reviewed', async () => await post(`/v1/dead-letters/patterns/${id}/review`, { outcome: 'seen', reason: 'yes' }));
    await told('it was reviewed once more', async () => await post(`/v1/dead-letters/patterns/${id}/review`, { outcome: 'seen', reason: 'yes' }));
    await told('all were looked through', async () => await post('/v1/dead-letters/reviews', { queue: 'told', reason: 'yes' }));
    reader.close();
  });

  it('show a token its own namespaces alone: what is elsewhere is answered as not there', async () => {
    await die([{ id: 'theirs', queue: 'stock', message: 'sold out', namespace: 'shop' }]);
    const theirs = String((await patterns('namespace=shop')).body.items[0]?.id);
    const foreign = String((await patterns('queue=left')).body.items[0]?.id);
    expect((await get(`/v1/dead-letters/patterns/${theirs}`, 'shop')).status).toBe(200);
    const nobody = (await get('/v1/dead-letters/patterns/999999', 'shop')).body;
    for (const path of ['', '/letters']) {
      const answer = await get(`/v1/dead-letters/patterns/${foreign}${path}`, 'shop');
      expect(answer).toMatchObject({ status: 404, body: { code: nobody.code, detail: nobody.detail } });
    }
    expect(await post(`/v1/dead-letters/patterns/${foreign}/review`, { outcome: 'seen', reason: 'x' }, 'shop')).toMatchObject({ status: 404, body: { code: nobody.code } });
    expect(await post('/v1/dead-letters/redrives?namespace=shop', { queue: 'stock', pattern: foreign }, 'shop')).toMatchObject({ body: { found: 0 } });
    const run = ((await post('/v1/dead-letters/redrives', { queue: 'left', count: 9, reason: 'again' })).body['run'] as { readonly id: string }).id;
    expect((await get(`/v1/dead-letters/redrives/${run}`, 'shop')).body.code).toBe((await get('/v1/dead-letters/redrives/999999', 'shop')).body.code);
    expect((await post(`/v1/dead-letters/redrives/${run}/stop`, {}, 'shop')).status).toBe(404);
  });
});
