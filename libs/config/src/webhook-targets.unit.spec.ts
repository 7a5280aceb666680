import { describe, expect, it } from 'vitest';
import { faultsOf, goodPolicy } from './policy.fixture.js';
import { readWebhookSecrets } from './webhook-secrets.js';

const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;

function webhook(keys: string): string {
  return `webhooks:\n  - {url: "https://example.com/in", events: [commands], ${keys}}\n`;
}

describe('webhooks', () => {
  it('name a URL, a secret, events and, if they like, queues', () => {
    const [target] = goodPolicy(webhook(`secret: ${SECRET}, queues: [emails, reports]`)).webhooks;
    expect(target).toMatchObject({
      url: 'https://example.com/in',
      events: ['commands'],
      queues: ['emails', 'reports'],
    });
    expect(target?.secret.from === 'file-itself' && target.secret.value.reveal()).toBe(SECRET);
    expect(goodPolicy(webhook('secretEnv: X_SECRET')).webhooks[0]).toMatchObject({ queues: null, line: 2 });
  });

  it.each([
    [webhook(`secret: ${SECRET}, secretEnv: X`), ['one-secret']],
    ['webhooks: [{}]', ['missing-key', 'missing-key', 'one-secret']],
    ['webhooks: {}', ['not-a-list']],
    [webhook('secretEnv: JOBWARDEN_HTTP_PORT'), ['bad-value']],
    [webhook(`secret: ${SECRET}, queues: []`), ['bad-value']],
    [`webhooks: [{url: "ftp://x", secretEnv: X, events: [commands]}]`, ['bad-value']],
    [`webhooks: [{url: "https://x", secretEnv: X, events: [command]}]`, ['bad-value']],
  ])('refuses %s', (text, codes) => expect(faultsOf(text).map((fault) => fault.code)).toEqual(codes));

  it('never show a secret: not a bad one, not a URL with a password, not in print', () => {
    const bad = `webhooks: [{url: "https://u:hunter2@x", secret: hunter2, events: [commands]}]`;
    const faults = faultsOf(bad);
    expect(faults).toHaveLength(2);
    expect(JSON.stringify(faults)).not.toContain('hunter2');
    expect(JSON.stringify(goodPolicy(webhook(`secret: ${SECRET}`)))).not.toContain(SECRET);
  });
});

describe('secrets of webhooks', () => {
  it('are fetched from where the file says', async () => {
    const file = goodPolicy(
      ['secretEnv: A', 'secretFile: /run/b', `secret: ${SECRET}`]
        .map((line) => webhook(line).replace('webhooks:\n', ''))
        .join('')
        .replace(/^/, 'webhooks:\n'),
    );
    const { ready, faults } = await readWebhookSecrets(file, { A: SECRET }, () => Promise.resolve(`${SECRET}\n`));
    expect(faults).toEqual([]);
    expect(ready.map(({ secret }) => secret.reveal())).toEqual([SECRET, SECRET, SECRET]);
  });

  it('that are missing or weak are faults, together, without their values', async () => {
    const file = goodPolicy(
      `${webhook('secretEnv: A')}${webhook('secretEnv: B').replace('webhooks:\n', '')}${webhook('secretFile: /none').replace('webhooks:\n', '')}`,
    );
    const read = () => Promise.reject(new Error('ENOENT'));
    const { ready, faults } = await readWebhookSecrets(file, { B: 'hunter2' }, read);
    expect(ready).toEqual([]);
    expect(faults.map((fault) => [fault.code, fault.line, fault.path])).toEqual([
      ['no-secret', 2, 'webhooks[0]'],
      ['no-secret', 3, 'webhooks[1]'],
      ['no-secret', 4, 'webhooks[2]'],
    ]);
    expect(JSON.stringify(faults)).not.toContain('hunter2');
  });
});
