import { afterEach, describe, expect, it } from 'vitest';
import { Webhook } from 'standardwebhooks';
import type { WebhookRequest } from '#libs/application';
import { HttpWebhookSender } from './http-webhook-sender.js';
import { Receiver, type Answer } from './receiver.fixture.js';

const secret = `whsec_${Buffer.alloc(32, 5).toString('base64')}`;
const never = new AbortController().signal;

describe('a webhook request', () => {
  const open: Receiver[] = [];
  afterEach(async () => {
    for (const receiver of open.splice(0)) await receiver.stop();
  });

  async function receiver(answer?: Answer): Promise<Receiver> {
    const started = await Receiver.start(answer);
    open.push(started);
    return started;
  }

  const request = (url: string, body = '{"specversion":"1.0","snow":"❄"}'): WebhookRequest => ({
    format: 'standard',
    url,
    id: 'enqueue-3-42-abc',
    body,
    secret: { reveal: () => secret },
  });

  it('carries the message as it is, and a signature that the library of its receivers accepts', async () => {
    const target = await receiver();
    expect(await new HttpWebhookSender().send(request(target.url), never)).toEqual({ ok: true });
    const [got] = target.received;
    expect(got?.headers).toMatchObject({
      'webhook-id': 'enqueue-3-42-abc',
      'content-type': 'application/cloudevents+json; charset=utf-8',
    });
    expect(new Webhook(secret).verify(got?.body ?? '', got?.headers ?? {})).toEqual({ specversion: '1.0', snow: '❄' });
    expect(() => new Webhook(secret).verify(`${got?.body ?? ''} `, got?.headers ?? {})).toThrow(
      'No matching signature',
    );
  });

  it('is acknowledged by any 2xx and by nothing else', async () => {
    const sender = new HttpWebhookSender();
    for (const status of [200, 202, 299]) {
      const target = await receiver((_, response) => response.writeHead(status).end());
      expect(await sender.send(request(target.url), never)).toEqual({ ok: true });
    }
    for (const status of [400, 410, 500, 503]) {
      const target = await receiver((_, response) => response.writeHead(status).end('secret words'));
      expect(await sender.send(request(target.url), never)).toEqual({
        ok: false,
        detail: `answered ${String(status)}`,
      });
    }
  });

  it('does not follow a redirect', async () => {
    const elsewhere = await receiver();
    const target = await receiver((_, response) => response.writeHead(307, { location: elsewhere.url }).end());
    expect(await new HttpWebhookSender().send(request(target.url), never)).toEqual({
      ok: false,
      detail: 'answered 307; redirects are not followed',
    });
    expect(elsewhere.received).toEqual([]);
  });

  it('fails after its timeout, for want of a listener, and for an address that is none', async () => {
    const silent = await receiver(() => undefined);
    const sender = new HttpWebhookSender({ timeoutMs: 100 });
    expect(await sender.send(request(silent.url), never)).toEqual({ ok: false, detail: 'no answer within 100 ms' });
    await silent.stop();
    expect(await sender.send(request(silent.url), never)).toEqual({
      ok: false,
      detail: 'the request failed (ECONNREFUSED)',
    });
    expect(await sender.send(request('http://'), never)).toMatchObject({ ok: false });
  });

  it('does not read an answer that never ends', async () => {
    const target = await receiver((_, response) => {
      response.writeHead(200);
      const more = (): void => {
        while (response.write(Buffer.alloc(65_536)));
        response.once('drain', more);
      };
      more();
    });
    expect(await new HttpWebhookSender().send(request(target.url), never)).toEqual({ ok: true });
  });

  it('is interrupted when the process stops', async () => {
    const stop = new AbortController();
    const target = await receiver(() => stop.abort());
    expect(await new HttpWebhookSender().send(request(target.url), stop.signal)).toBe('interrupted');
  });
});
