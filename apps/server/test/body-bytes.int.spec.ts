import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { jsonText, useTestDatabase, waitUntil } from '#libs/testing';
import { asOwner, event, eventText, TestService, worker } from './service.fixture.js';
import { EventReader } from './sse.fixture.js';

const POLICY = `
defaults: {actions: act, idempotent: true, heartbeats: none, backoff: {initial: 0s, jitter: 0}}
redaction:
  - {path: data.payload.card}
  - {pattern: 'sk_live_[a-z]+'}
`;

/** What `JSON.parse` and `JSON.stringify` would give back in other words. */
const ODD = '{ "b" : 1.0,\n\t"a": [1e2, -0, 12345678901234567890, 0.10], "\\u0061": "\\u00e9 \u2028 \\ud800 \\u0000\\/", "10": {}, "9": [ ] }';

describe('the bytes of a body', () => {
  const database = useTestDatabase();
  let service: TestService;
  beforeAll(async () => (service = await TestService.start(database.url, POLICY)));
  afterAll(() => service.stop());

  const sendText = (body: string, headers = {}) => service.call('POST', '/v1/events', { body, headers });
  const bodyOf = async (id: string, text: string) => {
    const hash = createHash('sha256').update(text).digest('hex');
    return (await service.get(`/v1/queues/emails/jobs/${id}/bodies/${hash}`)).text;
  };

  it('are those that were sent, whatever JSON they are: in a batch, alone, and beside headers', async () => {
    // Within what a double holds: another number is kept in quarantine, and says so.
    const texts = fc.sample(jsonText(), { numRuns: 150, seed: 7 }).filter((text) => !/\de\+?\d{3}|\de\+?[3-9]\d/iu.test(text));
    texts.push(ODD);
    const answer = await sendText(`[${texts.map((text, i) => eventText(event('queued', `b${String(i)}`), text)).join(' ,\n')}]`);
    expect(new Set(answer.body.results.map(({ outcome }) => outcome))).toEqual(new Set(['appended']));
    expect(texts.length).toBeGreaterThan(100);
    for (const [i, text] of texts.entries()) expect(await bodyOf(`b${String(i)}`, text)).toBe(text);

    await sendText(eventText(event('queued', 'alone'), ODD));
    const headers = { 'ce-specversion': '1.0', 'ce-id': 'h', 'ce-source': '/s', 'ce-type': 'jobwarden.job.queued.v1', 'ce-subject': 'headers' };
    await sendText(`{ "queue": "emails", "payload":${ODD}}`, headers);
    expect([await bodyOf('alone', ODD), await bodyOf('headers', ODD)]).toEqual([ODD, ODD]);
  });

  it('are those of the first that came, where the same event comes again in other words', async () => {
    const once = event('queued', 'again');
    const send = async (text: string) => (await sendText(`[${eventText(once, text)}]`)).body.results[0];
    expect(await send('{ "a": 1.0 }')).toMatchObject({ outcome: 'appended' });
    expect(await send('{"a":1}')).toMatchObject({ outcome: 'duplicate' });
    expect(await send('{"a":2}')).toMatchObject({ outcome: 'refused', code: 'id_reused' });
    expect(await bodyOf('again', '{ "a": 1.0 }')).toBe('{ "a": 1.0 }');
  });

  it('outlive quarantine', async () => {
    const sent = eventText(event('queued', 'kept', { maxRetries: 1_000 }), ODD);
    await sendText(`[ ${sent} ]`);
    const [entry] = (await service.get('/v1/quarantine?limit=1')).body.items;
    expect(entry?.body).toBe(sent);
    await asOwner(database.url, `UPDATE jobwarden.quarantine SET bytes = convert_to($1, 'UTF8') WHERE reason = 'schema'`, [sent.replace('1000', '3')]);
    const replayed = await service.call('POST', `/v1/quarantine/${String(entry?.entryId)}/replay`, { body: { reason: 'mended' } });
    expect(replayed).toMatchObject({ status: 200 });
    expect(await bodyOf('kept', ODD)).toBe(ODD);
  });

  it('lose only what a rule touches', async () => {
    const odd = '{ "a" : 1.0, "card": "4111", "key": "\\u0073k_live_abc!" , "n": 1e2 }';
    await sendText(eventText(event('queued', 'cut'), odd));
    const kept = '{ "a" : 1.0, "card": "[redacted]", "key": "[redacted]!" , "n": 1e2 }';
    expect(await bodyOf('cut', kept)).toBe(kept);
  });

  it('go out in the command and in the answer to a claim', async () => {
    const reader = await EventReader.open(`${service.url}/v1/streams/commands?queue=emails`);
    await sendText(eventText(event('queued', 'out'), ODD));
    await service.send(event('started', 'out', worker('w')), event('failed', 'out', { ...worker('w'), error: { class: 'E', message: 'm' } }));
    const [command] = await reader.until(1);
    reader.close();
    expect(command?.text).toContain(`"payload":${ODD}}`);
    await waitUntil('it may be claimed', async () => (await service.get('/v1/queues/emails/jobs/out')).body.status === 'requeued');
    const claim = await service.call('POST', '/v1/queues/emails/jobs/out/claims', { body: { claimId: 'c', worker: { id: 'w2' } } });
    expect(claim).toMatchObject({ status: 201, body: { attempt: 2, command: { attempt: 2, reason: 'backoff' } } });
    expect(claim.text).toContain(`"payload":${ODD}}`);
    expect(claim.headers.get('content-type')).toBe('application/json; charset=utf-8');
  });
});
