import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { useTestDatabase, waitUntil } from '#libs/testing';
import { asOwner, event, TestService, worker, type Body } from './service.fixture.js';

const POLICY = `
limits: {body: 12MiB}
redaction:
  - {path: data.payload.card}
  - {pattern: 'sk-\\d+'}
defaults: {actions: act, idempotent: true, maxRetries: 1, backoff: {initial: 10ms, max: 10ms, jitter: 0}, maxRedrives: 3}
queues:
  emails: {grace: 100ms}
  pills: {grace: 100ms, poisonAfter: 3, maxRetries: 10}
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

  it('C3: has as many starts as are allowed after each redrive, with attempts and tokens that only rise', async () => {
    const path = '/v1/queues/rounds/jobs/j';
    const now = async () => (await service.get(path)).body;
    await service.send(event('queued', 'j', { queue: 'rounds' }));
    const tokens: number[] = [];
    let starts = 0;
    for (let round = 0; round < 3; round += 1) {
      if (round > 0) expect((await service.call('POST', `${path}/redrive`, { body: { reason: `round ${String(round)}` } })).status).toBe(200);
      for (;;) {
        await waitUntil('it waits for a worker, or is given up', async () => ['queued', 'requeued', 'dead-lettered'].includes(String((await now()).status)));
        const { status, attempt, token } = await now();
        if (status === 'dead-lettered') break;
        starts += 1;
        expect(attempt).toBe(starts);
        tokens.push(Number(token));
        const data = { queue: 'rounds', ...worker('w'), attempt };
        await service.send(event('started', 'j', data), event('failed', 'j', { ...data, error: { class: 'E', message: 'no' } }));
      }
      expect(starts).toBe(2 * (round + 1));
    }
    expect(tokens).toEqual([...new Set(tokens)].sort((a, b) => a - b));
    const events = (await service.get(`${path}/events?limit=1000`)).body.items as unknown as readonly { type: string; data: { attempt: number } }[];
    expect(events.filter(({ type }) => type === 'jobwarden.job.started.v1').map(({ data }) => data.attempt)).toEqual([1, 2, 3, 4, 5, 6]);
    const found = (await service.get('/v1/dead-letters/one?queue=rounds&id=j')).body;
    expect(found).toMatchObject({ redrives: 2, chain: [1, 2, 3, 4, 5, 6].map((attempt) => ({ attempt })), firstCause: { attempt: 1 } });
  });

  it('C1: is a poison pill after three workers that died without a word, and what else they ran is put back', async () => {
    const status = async (id: string) => (await service.get(`/v1/queues/pills/jobs/${id}`)).body;
    await service.send(...['pill', 'with-w1', 'with-w2', 'with-w3'].map((id) => event('queued', id, { queue: 'pills' })));
    for (const attempt of [1, 2, 3]) {
      const data = { queue: 'pills', ...worker(`w${String(attempt)}`), leaseMs: 150 };
      await service.send(event('started', 'pill', { ...data, attempt }), event('started', `with-w${String(attempt)}`, data));
      await waitUntil('both are given up', async () => {
        const [pill, other] = await Promise.all([status('pill'), status(`with-w${String(attempt)}`)]);
        return other.status === 'requeued' && pill.status === (attempt < 3 ? 'requeued' : 'dead-lettered');
      });
    }
    const found = (await service.get('/v1/dead-letters/one?queue=pills&id=pill')).body;
    expect(found).toMatchObject({ reason: 'poison_pill', chain: [1, 2, 3].map((attempt) => ({ attempt, ended: attempt < 3 ? 'lost' : 'poison_pill', worker: { id: `w${String(attempt)}` } })) });
    const owners = [1, 2, 3].map((attempt) => ({ attempt, workers: [{ id: `w${String(attempt)}` }] }));
    expect((await status('pill')).decisions.find((d) => d['kind'] === 'dead-lettered')).toMatchObject({ evidence: { owners } });
    for (const other of ['with-w1', 'with-w2', 'with-w3']) expect(await status(other)).toMatchObject({ status: 'requeued', attempt: 2 });
  });

  it('C5: is redriven three times, then only with force and a reason, and what was refused shows the history', async () => {
    const redrive = (body: object) => service.call('POST', `${job('often')}/redrive`, { body });
    await service.send(event('queued', 'often'));
    await dies('often', 1, 'no');
    for (const attempt of [2, 3, 4]) {
      expect((await redrive({ reason: `try ${String(attempt)}` })).status).toBe(200);
      expect(await redrive({ reason: 'twice' })).toMatchObject({ status: 409, body: { code: 'not_finished' } });
      await dies('often', attempt, 'no');
    }
    const refused = await redrive({ reason: 'once more' });
    expect(refused).toMatchObject({ status: 409, body: { code: 'max_redrives' } });
    const kinds = (refused.body['history'] as readonly { kind: string; by: string }[]).map(({ kind }) => kind);
    expect(kinds.filter((kind) => kind === 'redriven')).toHaveLength(3);
    expect((await redrive({ force: true, reason: ' ' })).status).toBe(400);
    expect((await redrive({ force: true, reason: 'the third mail server is back' })).status).toBe(200);
    const { decisions } = (await service.get(job('often'))).body;
    expect(decisions.findLast((d) => d['kind'] === 'redriven')).toMatchObject({ by: 'local', reason: 'the third mail server is back', evidence: { forced: true, redrives: 4, maxRedrives: 3 } });
  });

  it('is kept with a stack of ten megabytes; above the limit the answer says so, and a smaller one is taken', async () => {
    const stack = `Error: deep\n${'  at call (deep.js:1:1)\n'.repeat(450_000)}`;
    expect(stack.length).toBeGreaterThan(10 * 1_048_576);
    const failed = (text: string) => event('failed', 'deep', { retryable: false, error: { class: 'Error', message: 'deep', stack: text } });
    await service.send(event('queued', 'deep'));
    const refused = await service.call('POST', '/v1/events', { body: failed(stack + stack) });
    expect(refused).toMatchObject({ status: 413 });
    expect(refused.body.detail).toMatch(/limits\.body/u);
    expect((await service.get(job('deep'))).body.status).toBe('queued');
    await service.send(failed(stack));
    await dead('deep');
    const kept = ((await letter('deep'))['chain'] as readonly Link[])[0]!.error.stack;
    expect((await service.get(`${job('deep')}/bodies/${kept.hash}`)).text).toBe(stack);
  });

  it('says what redaction and limits cut, and where', async () => {
    const message = `sk-4711 was refused: ${'long '.repeat(3_000)}`;
    await service.send(
      event('queued', 'cut', { payload: { card: '4111', to: 'ada' } }),
      event('failed', 'cut', { retryable: false, error: { class: 'E', message } }),
    );
    await dead('cut');
    const { cut } = (await letter('cut')) as unknown as { cut: readonly { message?: Ref & { bytes: number } }[] };
    expect(cut).toMatchObject([
      { type: 'jobwarden.job.queued.v1', redacted: ['data.payload.card'] },
      { type: 'jobwarden.job.failed.v1', redacted: ['data.error.message'], message: { bytes: message.length - 'sk-4711'.length + '[redacted]'.length } },
    ]);
    const whole = await service.get(`${job('cut')}/bodies/${cut[1]!.message!.hash}`);
    expect(whole.text).toBe(message.replace('sk-4711', '[redacted]'));
    expect(await letter('twice')).not.toHaveProperty('cut');
  });

  it('shows in the metrics, as long as it is there', async () => {
    await service.send(event('queued', 'counted', { queue: 'counted' }), event('failed', 'counted', { queue: 'counted', retryable: false, error: { class: 'E', message: 'no' } }));
    const metric = async (name: string) => new RegExp(`^${name}\\{queue="counted"\\} ([\\d.]+)$`, 'mu').exec((await service.get('/metrics')).text)?.[1];
    await waitUntil('it is counted', async () => (await metric('jobwarden_dead_letters')) === '1');
    expect(Number(await metric('jobwarden_dead_letter_oldest_seconds'))).toBeGreaterThan(0);
    expect(Number(await metric('jobwarden_dead_letter_unreviewed_seconds'))).toBeGreaterThan(0);
    await service.call('POST', '/v1/dead-letters/reviews', { body: { queue: 'counted', reason: 'routine' } });
    expect(await metric('jobwarden_dead_letter_unreviewed_seconds')).toBe('0');
    await service.call('POST', '/v1/queues/counted/jobs/counted/discard', { body: { reason: 'a test' } });
    await waitUntil('it is gone', async () => (await metric('jobwarden_dead_letters')) === undefined);
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
