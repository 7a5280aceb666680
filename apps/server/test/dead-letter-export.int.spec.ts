import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { useTestDatabase, waitUntil } from '#libs/testing';
import type { DeadLetterFixture } from '#libs/contracts';
import { event, TestService, worker, type Body } from './service.fixture.js';

const POLICY = `
defaults: {actions: act, idempotent: true, maxRetries: 0}
`;
const LATER = `${POLICY}redaction: [{path: data.payload.card}, {pattern: 'sk_[a-z0-9]+', replaceWith: '***'}]\n`;

describe('dead letters that leave the house', () => {
  const database = useTestDatabase();
  let service: TestService;
  beforeAll(async () => (service = await TestService.start(database.url, POLICY)));
  afterAll(() => service.stop());

  const dies = (id: string, queue: string, data: object = {}) => [
    event('queued', id, { queue, ...data }),
    event('failed', id, { queue, ...worker('w'), retryable: false, error: { class: 'E', message: 'no' } }),
  ];
  const dead = async (queue: string, count: number) =>
    waitUntil(`${String(count)} are dead`, async () => (await service.get(`/v1/jobs?queue=${queue}&status=dead-lettered&limit=1000`)).body.items.length === count);
  const exported = async (query = '') => {
    const answer = await service.get(`/v1/dead-letters/export${query}`);
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'application/x-ndjson; charset=utf-8']);
    return answer.text.split('\n').slice(0, -1).map((line) => JSON.parse(line) as Body);
  };

  it('are exported as lines, all of them, each once, queue by queue', async () => {
    expect(await exported()).toEqual([]);
    await service.send(...Array.from({ length: 480 }, (_, i) => dies(`m${String(i)}`, 'many')).flat());
    await service.send(...Array.from({ length: 480 }, (_, i) => dies(`n${String(i)}`, 'many')).flat());
    await service.send(...dies('x', 'few'), event('queued', 'alive', { queue: 'none' }));
    await dead('many', 960);
    await dead('few', 1);
    const one = async () => (await service.get('/v1/dead-letters/one?queue=few&id=x')).body;
    // It is sorted into its pattern a little later.
    await waitUntil('its pattern is known', async () => (await one())['pattern'] !== undefined);
    const all = await exported();
    expect(all.map(({ queue }) => queue)).toEqual(['few', ...Array.from({ length: 960 }, () => 'many')]);
    expect(new Set(all.map(({ id }) => id)).size).toBe(961);
    // Which pattern it is of is told of one letter alone.
    const { pattern, ...letter } = await one();
    expect([pattern, all[0]]).toEqual([expect.any(String), letter]);
    expect((await exported('?queue=few')).map(({ id }) => id)).toEqual(['x']);
    expect(await exported('?queue=nobody')).toEqual([]);
    expect(await exported('?namespace=else')).toEqual([]);
    expect((await service.call('HEAD', '/v1/dead-letters/export')).status).toBe(200);
  });

  describe('as a fixture', () => {
    const fixture = async (id: string) => await service.get(`/v1/dead-letters/one/fixture?queue=cards&id=${id}`);
    const payload = '{ "card": "4111", "order": 12345678901234567890, "amount": 1.50, "note": "a\\u0062c", "key": "sk_live1" }';

    beforeAll(async () => {
      const failed = (attempt: number, message: string) => event('failed', 'paid', {
        ...{ queue: 'cards', attempt, retryable: false, payloadSnapshot: { seen: 'sk_live2' } },
        error: { class: 'CardError', message, code: 'E42', responseStatus: 402, stack: `CardError: sk_live3\n    at pay` },
      });
      const queued = JSON.stringify(event('queued', 'paid', { queue: 'cards', kind: 'pay', payload: 'PAYLOAD' })).replace('"PAYLOAD"', payload);
      expect((await service.call('POST', '/v1/events', { body: queued })).status).toBe(200);
      await service.send(failed(1, 'key sk_live4 refused after 3 tries'));
      await dead('cards', 1);
      await service.call('POST', '/v1/queues/cards/jobs/paid/redrive', { body: { reason: 'once more' } });
      await service.send(failed(2, 'worse: sk_live5'));
      await dead('cards', 1);
    });

    it('has what it ran with as it was sent, the first failure and the chain', async () => {
      const answer = await fixture('paid');
      expect(answer.status).toBe(200);
      expect(answer.text).toContain(`\n  "payload": ${payload},\n`);
      expect(answer.body).toMatchObject({
        format: 'jobwarden.dead-letter-fixture.v1',
        job: { namespace: 'default', queue: 'cards', id: 'paid', kind: 'pay', attempt: 2 },
        failure: { attempt: 1, class: 'CardError', code: 'E42', responseStatus: 402, stack: 'CardError: sk_live3\n    at pay' },
        firstCause: { attempt: 1 },
        chain: [{ attempt: 1 }, { attempt: 2, error: { message: 'worse: sk_live5' } }],
      });
      const { failure } = answer.body as unknown as DeadLetterFixture;
      expect('key sk_live4 refused after 99 tries').toMatch(new RegExp(failure?.messageMatches ?? '', 'su'));
      expect('key sk_live4 taken after 3 tries').not.toMatch(new RegExp(failure?.messageMatches ?? '', 'su'));
    });

    it('is of the attempt that is asked for, with the payload that it ran with', async () => {
      const patch = [{ op: 'replace', path: '/amount', value: 2 }];
      expect(await service.call('POST', '/v1/queues/cards/jobs/paid/patch', { body: { patch, reason: 'less', force: true } })).toMatchObject({ status: 200 });
      await service.send(event('failed', 'paid', { queue: 'cards', attempt: 3, retryable: false, error: { class: 'Later', message: 'still no' } }));
      await dead('cards', 1);
      const of = async (attempt: number) => await service.get(`/v1/dead-letters/one/fixture?queue=cards&id=paid&attempt=${String(attempt)}`);
      expect((await of(3)).body).toMatchObject({ failure: { attempt: 3, class: 'Later' }, firstCause: { attempt: 1, error: { class: 'CardError' } }, payload: { amount: 2 } });
      expect((await of(2)).text).toContain(`\n  "payload": ${payload},\n`);
      expect(await of(9)).toMatchObject({ status: 404, body: { code: 'attempt_unknown' } });
      expect((await of(0)).status).toBe(400);
    });

    it('is cut by the rules as they are now, and only where they hit', async () => {
      service.changePolicy(LATER);
      await waitUntil('the rules are in force', async () => !(await fixture('paid')).text.includes('4111'));
      const { text, body } = await fixture('paid');
      expect(text).toContain(`\n  "payload": ${payload.replace('4111', '[redacted]').replace('sk_live1', '***')},\n`);
      expect(text).not.toContain('sk_live');
      const { failure, chain } = body as unknown as DeadLetterFixture;
      expect(failure).toMatchObject({ message: 'key *** refused after 3 tries', stack: 'CardError: ***\n    at pay' });
      expect('key sk_live4 refused after 3 tries').toMatch(new RegExp(failure?.messageMatches ?? '', 'su'));
      expect(chain[1]?.error).toMatchObject({ message: 'worse: ***' });
    });

    it('says why there is no payload, and of what there is no fixture', async () => {
      await service.send(...dies('none', 'cards'), ...dies('far', 'cards', { payloadRef: 's3://bucket/1' }), ...dies('gone', 'cards', { payload: 'p' }));
      await dead('cards', 4);
      await service.call('DELETE', '/v1/queues/cards/jobs/gone/payload', { body: { reason: 'asked for' } });
      const missing = await Promise.all(['none', 'far', 'gone'].map(async (id) => (await fixture(id)).body['missing']));
      expect(missing).toEqual(['none', 'reference', 'erased']);
      expect((await fixture('far')).body).toMatchObject({ payloadRef: 's3://bucket/1' });
      expect(await fixture('nobody')).toMatchObject({ status: 404, body: { code: 'dead_letter_unknown' } });
    });
  });
});
