import { createReceiver, memoryDeliveries, type Receiver, type ReceiverOptions } from '@jobwarden/webhook';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { command, newSecret, signed } from './signed.js';

const NOW = 1_764_470_000_000;
const secret = newSecret();

describe('a receiver of webhooks', () => {
  const onEnqueue = vi.fn<ReceiverOptions['onEnqueue']>();
  const warn = vi.fn();
  let nowMs = NOW;
  beforeEach(() => {
    onEnqueue.mockReset();
    warn.mockReset();
    nowMs = NOW;
  });

  const made = (more: Partial<ReceiverOptions> = {}): Receiver =>
    createReceiver({ secret, onEnqueue, logger: { info: () => undefined, warn }, now: () => nowMs, ...more });
  const post = (body: string | ReadableStream, headers: Record<string, string>): Request => new Request('http://x/', { method: 'POST', headers, body, duplex: 'half' });
  const send = async (receiver: Receiver, body = command('enqueue'), headers = signed(body, { secret, atMs: nowMs })) => await receiver.handle(post(body, headers));
  const refused = async (answer: Response) => {
    const { code, status } = (await answer.json()) as { code: string; status: number };
    expect(status).toBe(answer.status);
    return [status, code];
  };

  it('hands a command on that the library of Standard Webhooks has signed, and acknowledges it', async () => {
    const receiver = made();
    expect((await send(receiver)).status).toBe(204);
    expect(onEnqueue.mock.calls).toMatchObject([[{ subject: 'welcome-1', data: { attempt: 2, token: 2, payload: { to: 'ada' } } }]]);
    expect(receiver.stats()).toEqual({ enqueued: 1 });
  });

  it('does nothing for a copy, which is the same job, attempt and token, under whatever message id', async () => {
    const receiver = made();
    for (const id of ['enqueue-1', 'enqueue-1', 'enqueue-9']) {
      const body = command('enqueue').replace('"id":"enqueue-1"', `"id":"${id}"`);
      expect((await send(receiver, body, signed(body, { secret, atMs: nowMs, id }))).status).toBe(204);
    }
    expect(receiver.stats()).toEqual({ enqueued: 1, copy: 2 });
    for (const more of [{ attempt: 3 }, { token: 3 }, { queue: 'other' }]) await send(receiver, command('enqueue', more));
    expect(onEnqueue).toHaveBeenCalledTimes(4);
  });

  it('tries a copy of what failed, and refuses one while the first is being dealt with', async () => {
    const receiver = made();
    onEnqueue.mockRejectedValueOnce(new Error('the queue is away'));
    expect(await refused(await send(receiver))).toEqual([500, 'handler_failed']);
    let done = (): void => undefined;
    onEnqueue.mockImplementationOnce(() => new Promise<void>((resolve) => (done = resolve)));
    const first = send(receiver);
    await vi.waitFor(() => expect(onEnqueue).toHaveBeenCalledTimes(2));
    const copy = await send(receiver);
    expect(copy.headers.get('retry-after')).toBe('1');
    expect(await refused(copy)).toEqual([503, 'in_progress']);
    done();
    expect((await first).status).toBe(204);
    expect((await send(receiver)).status).toBe(204);
    expect(receiver.stats()).toEqual({ handler_failed: 1, in_progress: 1, enqueued: 1, copy: 1 });
  });

  const enqueue = command('enqueue');
  const headers = (body: string, more: object = {}) => signed(body, { secret, atMs: NOW, ...more });
  it.each<[string, number, string, () => Request]>([
    ['another method', 405, 'method_not_allowed', () => new Request('http://x/')],
    ['no signature', 401, 'signature_missing', () => post(enqueue, { ...headers(enqueue), 'webhook-signature': '' })],
    ['another secret', 401, 'signature_wrong', () => post(enqueue, headers(enqueue, { secret: newSecret() }))],
    ['a body that was changed', 401, 'signature_wrong', () => post(enqueue.replace('ada', 'eve'), headers(enqueue))],
    ['the signature of another message', 401, 'signature_wrong', () => post(enqueue, { ...headers(enqueue), 'webhook-id': 'enqueue-2' })],
    ['a scheme that is not known', 401, 'signature_wrong', () => post(enqueue, { ...headers(enqueue), 'webhook-signature': headers(enqueue)['webhook-signature']!.replace('v1,', 'v2,') })],
    ['a replay', 401, 'timestamp_out_of_range', () => post(enqueue, headers(enqueue, { atMs: NOW - 301_000 }))],
    ['a time to come', 401, 'timestamp_out_of_range', () => post(enqueue, headers(enqueue, { atMs: NOW + 301_000 }))],
    ['a time that is none', 401, 'timestamp_out_of_range', () => post(enqueue, { ...headers(enqueue), 'webhook-timestamp': 'now' })],
    ['a body that says it is too large', 413, 'body_too_large', () => post(enqueue, { ...headers(enqueue), 'content-length': '5000' })],
    ['a body that turns out to be', 413, 'body_too_large', () => post(new Blob(['x'.repeat(5_000)]).stream(), headers(enqueue))],
    ['text', 400, 'invalid_json', () => post('{"specversion":', headers('{"specversion":'))],
    ['no event', 400, 'invalid_event', () => post('{"a":1}', headers('{"a":1}'))],
    ['a command without its token', 400, 'invalid_event', () => post(command('enqueue', { token: null }), headers(command('enqueue', { token: null })))],
  ])('refuses %s, calls nobody, and says why', async (_, status, code, request) => {
    const receiver = made({ maxBodyBytes: 4_096 });
    const answer = await receiver.handle(request());
    expect(answer.headers.get('content-type')).toBe('application/problem+json');
    expect(await refused(answer)).toEqual([status, code]);
    expect(onEnqueue).not.toHaveBeenCalled();
    expect(receiver.stats()).toEqual({ [code]: 1 });
    await receiver.handle(request());
    expect(warn.mock.calls).toEqual([[expect.stringContaining(`(${code})`)]]);
  });

  it('takes what is within its limits to the last byte and second', async () => {
    const receiver = made({ maxBodyBytes: enqueue.length, toleranceMs: 1_000 });
    expect((await send(receiver, enqueue, headers(enqueue, { atMs: NOW - 1_000 }))).status).toBe(204);
    expect((await made({ maxBodyBytes: enqueue.length - 1 }).handle(post(enqueue, headers(enqueue)))).status).toBe(413);
  });

  it('accepts the old and the new secret while it is changed', async () => {
    const next = newSecret();
    const receiver = made({ secret: [secret, next] });
    for (const one of [secret, next]) expect((await send(receiver, enqueue, headers(enqueue, { secret: one }))).status).toBe(204);
    // As a sender that changes its secret does it.
    const both = { ...headers(enqueue), 'webhook-signature': `${headers(enqueue, { secret: newSecret() })['webhook-signature']} ${headers(enqueue)['webhook-signature']}` };
    expect((await send(made(), enqueue, both)).status).toBe(204);
  });

  it.each(['', 'whsec_', 'whsec_c2hvcnQ=', 'c2VjcmV0LXNlY3JldC1zZWNyZXQtc2VjcmV0'])('does not begin with the secret %j, and does not show it', (wrong) => {
    const message = (() => {
      try {
        made({ secret: [secret, wrong] });
        return '';
      } catch (error) {
        return String(error);
      }
    })();
    expect(message).toMatch(/^TypeError: secret\[1\] has to be `whsec_`/u);
    if (wrong.length > 6) expect(message).not.toContain(wrong);
  });

  it('says which variable is missing where no secret is said', () => {
    expect(() => createReceiver({ onEnqueue, secret: [] })).toThrow('WORKERS_WEBHOOK_SECRET');
  });

  it('repeats stops, since an attempt may begin after the first, and hands on what else comes', async () => {
    const [onStop, onEvent] = [vi.fn(), vi.fn()];
    const receiver = made({ onStop, onEvent });
    for (const id of ['stop-1', 'stop-1', 'stop-2']) await send(receiver, command('stop').replace('"id":"stop-1"', `"id":"${id}"`));
    expect(onStop).toHaveBeenCalledTimes(2);
    const letter = JSON.stringify({ specversion: '1.0', id: '7', source: 'jobwarden', type: 'jobwarden.dead-letter.v1', data: {} });
    await send(receiver, letter);
    await send(receiver, letter);
    expect(onEvent).toHaveBeenCalledTimes(1);
    expect((await send(made(), letter)).status).toBe(204);
    expect(receiver.stats()).toEqual({ stopped: 2, copy: 2, event: 1 });
  });

  it('asks for what its store could not say again, rather than lose it', async () => {
    const kept = memoryDeliveries();
    const away = () => Promise.reject(new Error('the store is away'));
    expect(await refused(await send(made({ deliveries: { ...kept, begin: away } })))).toEqual([503, 'store_failed']);
    expect(onEnqueue).not.toHaveBeenCalled();
    expect(await refused(await send(made({ deliveries: { ...kept, done: away } })))).toEqual([503, 'store_failed']);
    expect(onEnqueue).toHaveBeenCalledTimes(1);
  });

  it('keeps so many keys for so long, the newest, and never lets go of what is being dealt with', async () => {
    let atMs = 0;
    const kept = memoryDeliveries({ maxEntries: 2, keepMs: 1_000, now: () => atMs });
    expect(await kept.begin('busy')).toBe('new');
    for (const key of ['a', 'b', 'c']) {
      expect(await kept.begin(key)).toBe('new');
      await kept.done(key);
    }
    expect([await kept.begin('busy'), await kept.begin('c'), await kept.begin('b')]).toEqual(['busy', 'done', 'done']);
    expect(await kept.begin('a')).toBe('new');
    atMs = 1_000;
    expect(await kept.begin('c')).toBe('new');
  });
});
