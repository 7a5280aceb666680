import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { useTestDatabase, waitUntil } from '#libs/testing';
import { asOwner, event, TestService, worker, type Body } from './service.fixture.js';

const POLICY = `
queues:
  emails: {actions: act, idempotent: true, grace: 100ms}
`;
const PAYLOAD = { to: 'ada@example.com', lines: ['<b>', 'ö', ''] };

interface Ref {
  readonly hash: string;
}
interface Link {
  readonly error: { readonly stack: Ref };
  readonly snapshot: Ref;
}

describe('a dead letter', () => {
  const database = useTestDatabase();
  let service: TestService;
  beforeAll(async () => (service = await TestService.start(database.url, POLICY)));
  afterAll(() => service.stop());

  const job = (id: string) => `/v1/queues/emails/jobs/${id}`;
  const letter = async (id: string): Promise<Body> => (await service.get(`/v1/dead-letters/one?queue=emails&id=${id}`)).body;
  const dead = (id: string) => waitUntil('it is dead', async () => (await service.get(job(id))).body.status === 'dead-lettered');

  async function dies(id: string, attempt: number, message: string): Promise<void> {
    await service.send(
      event('started', id, { ...worker(`w${String(attempt)}`), attempt }),
      event('failed', id, {
        ...worker(`w${String(attempt)}`),
        ...{ attempt, retryable: false, durationMs: 250, payloadSnapshot: { ...PAYLOAD, to: '***' } },
        error: { class: 'SmtpError', message, code: 'E550', responseStatus: 550, stack: `SmtpError: ${message}\n  at send` },
      }),
    );
    await dead(id);
  }

  it('C4: keeps the first cause, the whole chain and who sent it round again, over two deaths', async () => {
    await service.send(event('queued', 'twice', { payload: PAYLOAD }));
    await dies('twice', 1, 'no such user');
    await service.call('POST', `${job('twice')}/redrive`, { body: { reason: 'the mailbox was made' } });
    await dies('twice', 2, 'mailbox full');
    await service.call('POST', `${job('twice')}/redrive`, { body: { reason: 'the mailbox was emptied' } });
    await dies('twice', 3, 'mailbox full');
    expect(await letter('twice')).toMatchObject({
      redrives: 2,
      hops: [
        { by: 'local', reason: 'the mailbox was made' },
        { by: 'local', reason: 'the mailbox was emptied' },
      ],
      firstCause: { attempt: 1, error: { class: 'SmtpError', message: 'no such user' } },
      chain: [1, 2, 3].map((attempt) => ({
        ...{ attempt, ended: 'failed-for-good', durationMs: 250, worker: { id: `w${String(attempt)}` } },
        error: { code: 'E550', responseStatus: 550 },
      })),
    });
  });

  it('says nothing of a cause where nobody did', async () => {
    await service.send(event('queued', 'by-hand'));
    await service.call('POST', `${job('by-hand')}/discard`, { body: { reason: 'a test' } });
    expect((await service.get('/v1/dead-letters/one?queue=emails&id=by-hand')).status).toBe(404);
    await service.send(event('queued', 'silent', { maxRetries: 0 }), event('started', 'silent', { ...worker('w'), leaseMs: 1 }));
    await dead('silent');
    const found = await letter('silent');
    expect(found).toMatchObject({ reason: 'lost', redrives: 0, hops: [], chain: [{ ended: 'lost' }] });
    expect(found).not.toHaveProperty('firstCause');
  });

  describe('names bodies', () => {
    let payload: Ref, link: Link;
    beforeAll(async () => {
      await service.send(event('queued', 'bodies', { payload: PAYLOAD }), event('queued', 'other', { payload: { other: 1 } }));
      await dies('bodies', 1, 'no');
      const found = await letter('bodies');
      payload = found['payload'] as Ref;
      link = (found['chain'] as readonly Link[])[0]!;
    });
    const body = (hash: string, id = 'bodies') => service.get(`${job(id)}/bodies/${hash}`);

    it('that come back as they are kept, and can never run as a page', async () => {
      const answer = await body(payload.hash);
      expect([answer.status, answer.text]).toEqual([200, JSON.stringify(PAYLOAD)]);
      expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
      expect((await body(link.snapshot.hash)).body).toEqual({ ...PAYLOAD, to: '***' });
      const stack = await body(link.error.stack.hash);
      expect(stack.text).toBe('SmtpError: no\n  at send');
      expect(stack.headers.get('content-type')).toBe('text/plain; charset=utf-8');
      expect(stack.headers.get('x-content-type-options')).toBe('nosniff');
    });

    it('by the job alone: not those of another, and not by what is no hash', async () => {
      expect(await body(payload.hash, 'other')).toMatchObject({ status: 404, body: { code: 'body_unknown' } });
      expect(await body('0'.repeat(64))).toMatchObject({ status: 404 });
      expect(await body(payload.hash, 'nobody')).toMatchObject({ status: 404 });
      expect(await body('zz')).toMatchObject({ status: 400 });
      const elsewhere = await service.get(`/v1/jobs/one/bodies/${payload.hash}?namespace=else&queue=emails&id=bodies`);
      expect(elsewhere.status).toBe(404);
      expect((await service.get(`/v1/jobs/one/bodies/${payload.hash}?queue=emails&id=bodies`)).status).toBe(200);
    });

    it('that were erased', async () => {
      await asOwner(database.url, `UPDATE jobwarden.bodies SET bytes = NULL WHERE hash = decode($1, 'hex')`, [payload.hash]);
      expect(await body(payload.hash)).toMatchObject({ status: 410, body: { code: 'body_erased' } });
    });
  });
});
